import { encodeOrderKey } from '../contract/order-key.ts';
import type { LiveCandidate, SenderPage, TagPage } from '../contract/pool-verbs.ts';
import { isLive, type LiveStage } from '../contract/transaction.ts';
import { bySeq } from '../memory/sorted-list.ts';
import { isMet } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isParked, type PoolNode } from './pool-node.ts';
import { candidateOf } from './selection.ts';

/** The most tags in `missing`. */
const maxMissing = 1_000;
const seqDigits = 14;

/** Returns a page of a sender's live transactions (P23). The cost depends on the sender's transactions only. */
export function senderPage(index: PoolIndex, sender: string, after: string, limit: number): SenderPage {
  const own = Array.from(index.senders.of(sender), (node) => ({ node, key: keyOf(node) })).sort(byKey);
  const rest = own.filter(({ key }) => key > after);
  const transactions = rest.slice(0, limit).map(({ node, key }) => ({ ...liveOf(index, node), key }));
  const next = rest.length > limit ? (transactions.at(-1)?.key ?? null) : null;
  return { transactions, missing: missingOf(index, own), next };
}

/** Returns the provider of a tag and a page, by seq, of those that require it (P23). The cost depends on these only. */
export function tagPage(index: PoolIndex, tag: string, limit: number): TagPage {
  // Two may have it on the chain. The order in the index differs between nodes.
  const [provider] = [...index.providers.of(tag)].sort(bySeq.compare);
  const waiting = [...index.dependents.of(tag)].filter(({ stage }) => isLive(stage)).sort(bySeq.compare);
  return {
    satisfied: index.satisfied.knows(tag),
    provider: provider === undefined ? null : liveOf(index, provider),
    dependents: waiting.slice(0, limit).map((node) => liveOf(index, node)),
    more: waiting.length > limit,
  };
}

function liveOf(index: PoolIndex, node: PoolNode): LiveCandidate {
  const { sender, provides, requires } = node.entry.verdict;
  const tags = { provides: [...provides], requires: [...requires] };
  return { ...candidateOf(index, node), sender, ...tags, stage: node.stage as LiveStage, parked: isParked(node) };
}

/** What is in flight or Confirmed comes first, by seq; then what is Pending, in the order of the pool. */
function keyOf({ seq, place }: PoolNode): string {
  return place === null ? `f${seq.toString(16).padStart(seqDigits, '0')}` : `p${encodeOrderKey(place)}`;
}

interface Keyed {
  readonly node: PoolNode;
  readonly key: string;
}

function byKey(a: Keyed, b: Keyed): number {
  return a.key < b.key ? -1 : 1;
}

/** The tags that Pending ones require and that are neither met nor provided. */
function missingOf(index: PoolIndex, own: readonly Keyed[]): string[] {
  const missing = new Set<string>();
  for (const { node } of own) {
    if (node.stage !== 'Pending') continue;
    for (const tag of node.entry.verdict.requires)
      if (!isMet(index, tag) && !index.providers.has(tag)) missing.add(tag);
  }
  return [...missing].slice(0, maxMissing);
}
