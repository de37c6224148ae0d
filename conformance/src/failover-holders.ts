/** Compares each block with who held the lease when it was applied, by the store's own account. */
import { callsByBlock, inCommitOrder, place } from './failover-blocks.ts';
import { entriesOf, type FailoverEntryOf, type FailoverRecord } from './failover-record.ts';

type Held = FailoverEntryOf<'held'>;

/** The lease that was held at each event of which the store's account is certain, by the event's number. */
export function holdersOf(record: FailoverRecord): ReadonlyMap<number, Held> {
  const held = entriesOf(record, 'held').toSorted((a, b) => a.at - b.at);
  const applied = entriesOf(record, 'block').filter(({ action }) => action === 'applied');
  const blocks = inCommitOrder(applied).map(({ eventSeq }) => eventSeq);
  const holders = new Map<number, Held>();
  let next = 0;
  for (const [index, after] of held.entries()) {
    const before = held[index - 1];
    while ((blocks[next] ?? Number.POSITIVE_INFINITY) <= (before?.eventSeq ?? 0)) next += 1;
    // A token is never used again, and a win raises the term: what is the same before and after was so all the time.
    if (before === undefined || before.token !== after.token || before.term !== after.term) continue;
    for (; (blocks[next] ?? Number.POSITIVE_INFINITY) <= after.eventSeq; next += 1)
      holders.set(blocks[next] as number, after);
  }
  return holders;
}

/** A block must have been applied by a call under the lease that was held then. */
export function holderFaults(record: FailoverRecord): string[] {
  const calls = callsByBlock(record);
  const holders = holdersOf(record);
  return inCommitOrder(entriesOf(record, 'block')).flatMap(({ eventSeq, point, tick }) => {
    const holder = holders.get(eventSeq);
    if (holder === undefined) return [];
    const possible = calls(point, tick);
    const isHolders = ({ term, token = holder.token }: (typeof possible)[number]): boolean =>
      holder.token !== null && term === holder.term && token === holder.token;
    if (possible.length === 0 || possible.some(isHolders)) return [];
    const by = [...new Set(possible.map(({ node, term }) => `${node} in term ${term}`))].join(' or ');
    const then = holder.token === null ? 'nobody held the lease' : `the lease of term ${holder.term} was held`;
    return [`${place(point)} was applied by ${by} while ${then}`];
  });
}
