import { resolve } from 'node:path';
import { misconfigured } from 'mempool-core/backend';
import {
  maxTimerMs,
  optional,
  type SectionPlace,
  type SectionSchema,
  table,
  text,
  whole,
} from 'mempool-server/extension';

/** The section `[sequencer]`: the epochs of one validator, which run elsewhere and are watched here. */
export interface SequencerSection {
  readonly protocol: string;
  readonly market: string;
  /** The Redis with its pools; `null`: that of `[mempool]`. It may hold a password, so it is in no log and no error. */
  readonly url: string | null;
  readonly urlFile?: string | undefined;
  /** The folder with its pools, a SQLite file for each; `null`: they are on Redis. */
  readonly folder: string | null;
  /** How often the epochs are read; default 1,000. */
  readonly refreshMs: number;
  /** From the close of a window until level 1 is missing; default 60,000. */
  readonly level1GraceMs: number;
  /** From the end of level 1 until level 2 is missing; default 60,000. */
  readonly level2GraceMs: number;
  /** From the agreement until it is missing on the chain; default 300,000. */
  readonly onchainGraceMs: number;
}

const name = text.max(256, 'must have at most 256 characters');
const graceMs = whole(0, maxTimerMs);

/** The schema of the section `[sequencer]`. */
export const section: SectionSchema<SequencerSection> = table({
  protocol: name.describe('The protocol whose epochs are watched.'),
  market: name.describe('The market whose epochs are watched.'),
  url: optional(text).describe('The Redis with the pools of the validator. Default: that of the pool.'),
  urlFile: text.optional().describe('A file with that URL, in place of `url`.'),
  folder: optional(text).describe('The folder with the pools of the validator, if they are SQLite files.'),
  refreshMs: whole(10, 30_000).default(1_000).describe('How often the epochs are read.'),
  level1GraceMs: graceMs
    .default(60_000)
    .describe("How long after its window an epoch may be without the validator's result."),
  level2GraceMs: graceMs.default(60_000).describe('How long after that it may be without an agreement.'),
  onchainGraceMs: graceMs.default(300_000).describe('How long after that the chain may be without it.'),
});

/** Resolves the folder. @throws `ERR_MEMPOOL_CONFIG` naming the field if the pools of the validator have two places or none */
export function located(given: SequencerSection, { folder, mempool }: SectionPlace): SequencerSection {
  if (given.folder !== null && given.url !== null) throw misconfigured('sequencer.folder', 'is given beside url');
  if (given.folder !== null) return { ...given, folder: resolve(folder, given.folder) };
  if (given.url !== null || mempool.backend === 'redis') return given;
  throw misconfigured(
    'sequencer.url',
    'is missing: the pool is not on Redis, so url or folder says where the epochs are',
  );
}
