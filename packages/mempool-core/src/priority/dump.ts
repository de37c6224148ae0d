import type { IndexDump } from '../contract/dump.ts';
import { isLive } from '../contract/transaction.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PoolNode } from './pool-node.ts';
import type { TagIndex } from './tag-index.ts';

/** The content of the index in canonical form: equal contents give equal dumps. */
export function dumpOf(index: PoolIndex): IndexDump {
  const { limits, lastGossipSeq, totals, parked, order, ages } = index;
  return {
    limits: { ...limits },
    lastGossipSeq,
    totals: { transactions: totals.transactions, bytes: totals.bytes, gas: totals.gas, parked: parked.length },
    entries: [...index.nodes()].sort(byHash).map(dumpedEntry),
    order: Array.from(order, ({ hash }) => hash),
    providers: dumpedTags(index.providers),
    dependents: dumpedTags(index.dependents),
    senders: [...totals.senders].sort(byName),
    claims: dumpedTags(index.claims),
    gossip: Array.from(ages.gossip, ({ hash }) => hash),
    satisfied: index.satisfied.entries().sort(byName),
  };
}

function dumpedEntry({ entry, stage, place }: PoolNode): IndexDump['entries'][number] {
  const { hash, seq, bytes, verdict, sources, version, admittedAt, admittedHeight, checkedHeight, gossipSeq } = entry;
  const { claim, notBefore = null, parkedAt = null } = entry;
  const plain = { bytes, sources: [...sources], version, admittedAt, admittedHeight, checkedHeight, gossipSeq };
  const tags = { provides: [...verdict.provides], requires: [...verdict.requires] };
  const where =
    place === null
      ? null
      : {
          ready: place.ready,
          effectivePriority: place.effectivePriority,
          tieBreakSeq: place.tieBreakSeq,
          depth: place.depth,
        };
  return {
    hash,
    seq,
    stage,
    ...verdict,
    ...tags,
    ...plain,
    claim: claim && { ...claim },
    notBefore,
    parkedAt,
    place: where,
  };
}

function dumpedTags(tags: TagIndex): (readonly [string, readonly string[]])[] {
  const listed = Array.from(tags.entries(), ([tag, nodes]) => {
    const live = [...nodes].filter(({ stage }) => isLive(stage));
    return [tag, live.map(({ hash }) => hash).sort()] as const;
  });
  return listed.filter(([, hashes]) => hashes.length > 0).sort(byName);
}

function byHash(a: PoolNode, b: PoolNode): number {
  return byName([a.hash], [b.hash]);
}

function byName([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
