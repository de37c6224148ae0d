import type { Random } from 'mempool-testkit';
import type { Arrival, SubmissionReason } from '../src/index.ts';
import { messageHash } from '../src/rules/digest.ts';
import { signed } from './validator.ts';

/** A message of an epoch, and what has to become of it. */
export interface Planned {
  readonly message: Uint8Array;
  readonly arrival: Arrival;
  readonly hash: string;
  readonly fate: 'counted' | SubmissionReason;
}

export interface Traffic {
  readonly planned: readonly Planned[];
  /** What the validators have to agree on. */
  readonly winners: ReadonlyMap<string, string>;
}

const projects = Array.from({ length: 45 }, (_, i) => `project-${String(i).padStart(2, '0')}`);

/** Honest, dissenting, forged, replayed, equivocating, malformed submissions, and some of unknown slots. */
export function trafficOf(epoch: number, random: Random): Traffic {
  const planned: Planned[] = [];
  const winners = new Map<string, string>();
  const add = (message: Uint8Array, fate: Planned['fate']): void => {
    const hash = messageHash(message);
    planned.push({ message, fate, hash, arrival: { peer: `peer-${random.below(9)}`, epoch } });
  };
  for (const project of projects) {
    const [right, wrong] = [`cid-${epoch}-${project}`, `wrong-${epoch}-${project}`];
    // Two against two: the lowest content id wins, and `cid` is lower than `wrong`.
    const isTie = random.below(4) === 0;
    for (const slot of [1, 2]) add(signed({ epoch, slot, project, cid: right }), 'counted');
    for (const slot of [3, 4]) add(signed({ epoch, slot, project, cid: isTie ? wrong : right }), 'counted');
    winners.set(project, right);
  }
  const some = (): string => projects[random.below(projects.length)] as string;
  for (let slot = 10; slot < 16; slot++) {
    const project = some();
    for (const cid of ['one', 'two']) add(signed({ epoch, slot, project, cid }), 'equivocation');
    add(signed({ epoch: epoch - 1, slot, project, cid: 'replayed' }), 'wrong-epoch');
    add(signed({ epoch, slot: slot + 1_000, project, cid: 'stranger' }), 'unknown-slot');
    add(signed({ epoch, slot, project, cid: 'two words' }), 'malformed');
    add(forged({ epoch, slot, project, cid: 'forged' }), 'bad-signature');
  }
  return { planned, winners };
}

/** Signed by another slot. */
function forged(fields: { epoch: number; slot: number; project: string; cid: string }): Uint8Array {
  const other = new TextDecoder().decode(signed({ ...fields, slot: fields.slot + 1 }));
  return new TextEncoder().encode(other.replace(`"slot":${fields.slot + 1}`, `"slot":${fields.slot}`));
}
