import { z } from 'zod';
import { maxTimerMs, optional, type SectionSchema, text, whole } from './field-forms.ts';
import type { SequencerSection } from './server-config.ts';

/** The section `[sequencer]` as the configuration has it. */
export interface GivenSequencer extends Omit<SequencerSection, 'protocol' | 'market'> {
  /** `null`: no epochs are watched. */
  readonly protocol: string | null;
  readonly market: string | null;
  readonly urlFile?: string | undefined;
}

const name = text.max(256, 'must have at most 256 characters');
const graceMs = whole(0, maxTimerMs);

/** The form of the section `[sequencer]`. */
export const sequencer: SectionSchema<GivenSequencer> = z.strictObject(
  {
    protocol: optional(name).describe('The protocol whose epochs are watched. Without it there are none.'),
    market: optional(name).describe('The market whose epochs are watched.'),
    url: optional(text).describe('The Redis with the pools of the validator. Default: that of the pool.'),
    urlFile: text.optional().describe('A file with that URL, in place of `url`.'),
    folder: optional(text).describe('The folder with the pools of the validator, if they are SQLite files.'),
    refreshMs: whole(10, 30_000).default(1_000).describe('How often the epochs are read.'),
    level1GraceMs: graceMs
      .default(60_000)
      .describe("How long after its window an epoch may be without the validator's result."),
    level2GraceMs: graceMs.default(60_000).describe('How long after that it may be without an agreement.'),
    onchainGraceMs: graceMs.default(300_000).describe('How long after that the chain may be without it.'),
  },
  'must be a table',
);
