import type { Leaf, ProjectVotes } from '../contract/batch.ts';
import type { Vote } from '../contract/submission.ts';
import { byText, sortedEntries } from './order.ts';

/** The result of an epoch's votes. The order of the votes makes no difference. */
export interface Tally {
  /** Sorted by project. A project whose slots all contradict themselves is not among them. */
  readonly projects: readonly ProjectVotes[];
  /** The hashes of all votes of a slot for a project that it gave more than one content id, sorted. None of them counts. */
  readonly equivocating: readonly string[];
  /** Number of votes that count, several equal ones of a slot among them. */
  readonly counted: number;
  /** Number of slots with a vote that counts. */
  readonly slots: number;
}

/** The votes of one slot for one project. */
interface Ballot {
  readonly slot: number;
  readonly cids: Set<string>;
  readonly hashes: string[];
}

/** Counts each slot once per project. */
export function tally(votes: Iterable<Vote>): Tally {
  const ballots = ballotsByProject(votes);
  const equivocating: string[] = [];
  const slots = new Set<number>();
  const projects: ProjectVotes[] = [];
  let counted = 0;
  for (const [project, bySlot] of sortedEntries(ballots)) {
    const cids = new Map<string, number>();
    for (const { slot, cids: said, hashes } of bySlot.values()) {
      const [cid, ...others] = said;
      if (cid === undefined || others.length > 0) equivocating.push(...hashes);
      else {
        cids.set(cid, (cids.get(cid) ?? 0) + 1);
        slots.add(slot);
        counted += hashes.length;
      }
    }
    if (cids.size > 0) projects.push({ project, votes: sortedEntries(cids) });
  }
  return { projects, equivocating: equivocating.sort(byText), counted, slots: slots.size };
}

function ballotsByProject(votes: Iterable<Vote>): Map<string, Map<number, Ballot>> {
  const projects = new Map<string, Map<number, Ballot>>();
  for (const { hash, slot, project, cid } of votes) {
    const bySlot = getOrMake(projects, project, () => new Map<number, Ballot>());
    const { cids, hashes } = getOrMake(bySlot, slot, () => ({ slot, cids: new Set<string>(), hashes: [] }));
    cids.add(cid);
    hashes.push(hash);
  }
  return projects;
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/** The content id with the most votes, the lowest of several; `null` without votes. */
export function winner(votes: ProjectVotes['votes']): string | null {
  let best: readonly [string, number] | null = null;
  for (const vote of votes)
    if (best === null || vote[1] > best[1] || (vote[1] === best[1] && vote[0] < best[0])) best = vote;
  return best === null ? null : best[0];
}

/** The result of a part: the winning content id of each project, sorted by project. */
export function winners(part: readonly ProjectVotes[]): Leaf[] {
  const leaves = part.flatMap(({ project, votes }) => {
    const cid = winner(votes);
    return cid === null ? [] : [{ project, cid }];
  });
  return leaves.sort((a, b) => byText(a.project, b.project));
}
