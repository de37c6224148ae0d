import type { Agreement, Batch, Leaf, LeftOut } from '../contract/batch.ts';
import { merkleRoot } from './digest.ts';
import { byText, sortedEntries } from './order.ts';

/** How many of n validators decide: more than two thirds, ⌊2n/3⌋ + 1. */
export function quorum(validators: number): number {
  return Math.floor((2 * validators) / 3) + 1;
}

/** A batch, as far as the quorum asks. */
export type CountedBatch = Pick<Batch, 'validator' | 'root' | 'leaves'>;

/**
 * What the batches of an epoch's validators come to: for each project the content id that a quorum found. The rest is left out
 * and named. The order of the batches makes no difference, and batches of others are not counted.
 */
export function agree(epoch: number, batches: Iterable<CountedBatch>, validators: readonly string[]): Agreement {
  const { counted, equivocating } = byValidator(batches, new Set(validators));
  const needed = quorum(new Set(validators).size);
  const leaves: Leaf[] = [];
  const leftOut: LeftOut[] = [];
  for (const [project, cids] of sortedEntries(votesByProject(counted.values()))) {
    const votes = sortedEntries(cids);
    // More than half are needed, so there is one at most.
    const found = votes.find(([, count]) => count >= needed);
    if (found === undefined) leftOut.push({ project, votes });
    else leaves.push({ project, cid: found[0] });
  }
  return {
    epoch,
    root: merkleRoot(leaves),
    leaves,
    leftOut,
    validators: [...counted.keys()].sort(byText),
    equivocating,
  };
}

function byValidator(batches: Iterable<CountedBatch>, known: ReadonlySet<string>) {
  const counted = new Map<string, CountedBatch>();
  const equivocating = new Set<string>();
  for (const batch of batches) {
    if (!known.has(batch.validator)) continue;
    const earlier = counted.get(batch.validator);
    if (earlier !== undefined && earlier.root !== batch.root) equivocating.add(batch.validator);
    counted.set(batch.validator, batch);
  }
  for (const validator of equivocating) counted.delete(validator);
  return { counted, equivocating: [...equivocating].sort(byText) };
}

function votesByProject(batches: Iterable<CountedBatch>): Map<string, Map<string, number>> {
  const projects = new Map<string, Map<string, number>>();
  for (const { leaves } of batches)
    for (const { project, cid } of leaves) {
      const cids = projects.get(project) ?? new Map<string, number>();
      projects.set(project, cids.set(cid, (cids.get(cid) ?? 0) + 1));
    }
  return projects;
}
