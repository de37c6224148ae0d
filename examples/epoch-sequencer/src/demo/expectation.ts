// The expected result of an epoch, computed from the traffic alone, and by no part of the sequencer.
import { type Leaf, merkleRoot } from 'mempool-sequencer';
import type { Fate, Planned } from './traffic.ts';

/** The fate of each submission at a validator that stored these. */
export function fatesAt(planned: readonly Planned[], stored: ReadonlySet<string>): Map<string, Fate> {
  const here = planned.filter(({ hash }) => stored.has(hash));
  const twins = new Map<string, Set<string>>();
  for (const { slot, project, cid, fate } of here)
    if (fate === 'equivocation' || fate === 'counted') {
      const key = `${slot} ${project}`;
      twins.set(key, (twins.get(key) ?? new Set()).add(cid));
    }
  const fateOf = ({ slot, project, fate }: Planned): Fate => {
    if (fate !== 'equivocation' && fate !== 'counted') return fate;
    return (twins.get(`${slot} ${project}`)?.size ?? 0) > 1 ? 'equivocation' : 'counted';
  };
  return new Map(here.map((each) => [each.hash, fateOf(each)]));
}

/** The content id of each project that such a validator has to find. */
export function winnersAt(planned: readonly Planned[], stored: ReadonlySet<string>): Map<string, string> {
  const fates = fatesAt(planned, stored);
  const voters = new Map<string, Map<string, Set<number>>>();
  for (const { hash, slot, project, cid } of planned) {
    if (fates.get(hash) !== 'counted') continue;
    const cids = voters.get(project) ?? new Map<string, Set<number>>();
    voters.set(project, cids.set(cid, (cids.get(cid) ?? new Set()).add(slot)));
  }
  const won = new Map<string, string>();
  for (const [project, cids] of voters) {
    const most = Math.max(...Array.from(cids.values(), ({ size }) => size));
    const best = [...cids].filter(([, { size }]) => size === most).map(([cid]) => cid);
    won.set(project, best.sort()[0] as string);
  }
  return won;
}

/** The roots that these validators may agree on: of each set of batches that is large enough. */
export function possibleRoots(winners: readonly ReadonlyMap<string, string>[], quorum: number): Set<string> {
  const roots = new Set<string>();
  for (let set = 0; set < 2 ** winners.length; set += 1) {
    const batches = winners.filter((_, i) => (set >> i) % 2 === 1);
    if (batches.length >= quorum) roots.add(rootOf(batches, quorum));
  }
  return roots;
}

function rootOf(batches: readonly ReadonlyMap<string, string>[], quorum: number): string {
  return merkleRoot(leavesOf(batches, quorum));
}

function leavesOf(batches: readonly ReadonlyMap<string, string>[], quorum: number): Leaf[] {
  const projects = new Set(batches.flatMap((batch) => [...batch.keys()]));
  return [...projects].flatMap((project) => {
    const cids = batches.flatMap((batch) => batch.get(project) ?? []);
    const cid = cids.find((one) => cids.filter((other) => other === one).length >= quorum);
    return cid === undefined ? [] : [{ project, cid }];
  });
}
