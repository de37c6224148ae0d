import type { Random } from 'mempool-testkit';
import { type Accepted, type Submission, type SubmissionReason, submissionDigest } from '../src/index.ts';
import { domain, signed } from './validator.ts';

/** A message that every gateway stores, and its end. */
export interface Planned {
  readonly message: Uint8Array;
  readonly peer: string;
  readonly hash: string;
  readonly fate: 'counted' | SubmissionReason;
}

/** A message that no gateway stores. */
export interface Refused {
  readonly message: Uint8Array;
  readonly answer: Accepted['kind'];
}

export interface Traffic {
  readonly planned: readonly Planned[];
  readonly refused: readonly Refused[];
  /** What the validators have to agree on. */
  readonly winners: ReadonlyMap<string, string>;
}

type Unsigned = Omit<Submission, 'signature'>;

const projects = Array.from({ length: 45 }, (_, i) => `project-${String(i).padStart(2, '0')}`);

/** Honest, dissenting, equivocating and rejected submissions; forged, replayed, malformed ones and some of unknown slots. */
export function trafficOf(epoch: number, random: Random): Traffic {
  const planned: Planned[] = [];
  const refused: Refused[] = [];
  const winners = new Map<string, string>();
  const add = (unsigned: Unsigned, fate: Planned['fate']): void => {
    const hash = submissionDigest({ ...unsigned, domain });
    planned.push({ message: signed(unsigned), fate, hash, peer: `peer-${random.below(9)}` });
  };
  for (const project of projects) {
    const [right, wrong] = [`cid-${epoch}-${project}`, `wrong-${epoch}-${project}`];
    // Two against two: the lowest content id wins, and `cid` is lower than `wrong`.
    const isTie = random.below(4) === 0;
    for (const slot of [1, 2]) add({ epoch, slot, project, cid: right }, 'counted');
    for (const slot of [3, 4]) add({ epoch, slot, project, cid: isTie ? wrong : right }, 'counted');
    winners.set(project, right);
  }
  const some = (): string => projects[random.below(projects.length)] as string;
  for (let slot = 10; slot < 16; slot++) {
    const project = some();
    for (const cid of ['one', 'two']) add({ epoch, slot, project, cid }, 'equivocation');
    add({ epoch, slot, project, cid: 'rejected' }, 'rejected');
    const refuse = (message: Uint8Array, answer: Accepted['kind']) => refused.push({ message, answer });
    const replayed = signed({ epoch: epoch - 1, slot, project, cid: 'replayed' });
    refuse(replayed, epoch === 1 ? 'unknown-epoch' : 'closed');
    refuse(signed({ epoch, slot: slot + 1_000, project, cid: 'stranger' }), 'unknown-slot');
    refuse(signed({ epoch, slot, project, cid: 'two words' }), 'malformed');
    refuse(forged({ epoch, slot, project, cid: 'forged' }), 'bad-signature');
  }
  return { planned, refused, winners };
}

/** Signed by another slot. */
export function forged(fields: Unsigned): Uint8Array {
  const other = new TextDecoder().decode(signed({ ...fields, slot: fields.slot + 1 }));
  return new TextEncoder().encode(other.replace(`"slot":${fields.slot + 1}`, `"slot":${fields.slot}`));
}
