import type { Agreement, Batch, Certificate, Endorsement, Leaf, LeftOut } from '../contract/batch.ts';
import { merkleRoot } from './digest.ts';
import { byText, sortedEntries } from './order.ts';
import { fitting, jsonBytes } from './parts.ts';

/** How many of n validators decide: more than two thirds, ⌊2n/3⌋ + 1. */
export function quorum(validators: number): number {
  return Math.floor((2 * validators) / 3) + 1;
}

/** The most batches of one validator in an epoch. A second root shows that it contradicts itself; more show nothing else. */
export const mostBatches = 2;

/** The most endorsements of one validator in an epoch: an honest one endorses again when a batch comes, at most twice for each validator. */
export function mostEndorsements(validators: number): number {
  return mostBatches * validators;
}

/** A batch, as far as the quorum asks. */
export type CountedBatch = Pick<Batch, 'validator' | 'root' | 'leaves'>;

/**
 * The result of the validators' batches of an epoch: for each project the content id that a quorum found. The rest is left out
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

/**
 * The same agreement with a JSON of at most so many bytes. If it is larger, projects are not named in `leftOut`, first the ones for
 * which the fewest validators found one content id: a validator can make up as many as its batch holds. If the leaves alone are
 * larger, nothing is agreed on.
 */
export function reducedTo(maxBytes: number, agreement: Agreement): Agreement {
  if (jsonBytes(agreement) <= maxBytes) return agreement;
  const room = maxBytes - jsonBytes({ ...agreement, leftOut: [] });
  if (room < 0) return reducedTo(maxBytes, { ...agreement, root: merkleRoot([]), leaves: [] });
  const ranked = agreement.leftOut.toSorted((a, b) => mostVotes(b) - mostVotes(a) || byText(a.project, b.project));
  return { ...agreement, leftOut: fitting(ranked, room).sort((a, b) => byText(a.project, b.project)) };
}

function mostVotes({ votes }: LeftOut): number {
  return Math.max(...votes.map(([, count]) => count));
}

/** Which validators' batches count, and which contradict themselves: all that decides an agreement. Both sorted. */
export type Standing = Pick<Agreement, 'validators' | 'equivocating'>;

/** The votes that `agree` would count, from the roots alone. */
export function standing(
  batches: Iterable<Pick<Batch, 'validator' | 'root'>>,
  validators: readonly string[],
): Standing {
  const { counted, equivocating } = byValidator(batches, new Set(validators));
  return { validators: [...counted.keys()].sort(byText), equivocating };
}

/**
 * The certificate in some endorsements: a root with the signatures of a quorum of these validators; `null` if there is none. A
 * validator may have endorsed several roots, so two may have a quorum. Then `preferred` is taken, or else the lowest.
 */
export function certify(
  epoch: number,
  endorsements: Iterable<Endorsement>,
  validators: readonly string[],
  preferred: string | null = null,
): Certificate | null {
  const known = new Set(validators);
  const byRoot = new Map<string, Map<string, string>>();
  for (const { validator, root, signature } of endorsements) {
    if (!known.has(validator)) continue;
    const signatures = byRoot.get(root) ?? new Map<string, string>();
    byRoot.set(root, signatures.set(validator, signatures.get(validator) ?? signature));
  }
  const certified = sortedEntries(byRoot).filter(([, signatures]) => signatures.size >= quorum(known.size));
  const found = certified.find(([root]) => root === preferred) ?? certified[0];
  if (found === undefined) return null;
  const signatures = sortedEntries(found[1]).map(([validator, signature]) => ({ validator, signature }));
  return { epoch, root: found[0], signatures };
}

function byValidator<B extends Pick<Batch, 'validator' | 'root'>>(batches: Iterable<B>, known: ReadonlySet<string>) {
  const counted = new Map<string, B>();
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
