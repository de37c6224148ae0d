import type { CoupledPool, Ledger, LedgerPool, LedgerRecord } from '../../src/index.ts';

/** Settles all there is, until the pool makes no event any more. */
export async function rest(pool: CoupledPool, payments: LedgerPool): Promise<void> {
  for (let before = -1; ; ) {
    const { lastEventSeq } = await pool.usage();
    if (lastEventSeq === before) return;
    before = lastEventSeq;
    await payments.catchUp();
  }
}

interface Sum {
  open: number;
  /** Ids of reservations of the payer and of the debt wallet that were posted and not given back. */
  readonly paid: Set<string>;
  readonly paidByDebt: Set<string>;
}

/** What the ledger's history says about each hash. */
async function sums(ledger: Ledger): Promise<ReadonlyMap<string, Sum>> {
  const found = new Map<string, Sum>();
  for (let seq = 0; ; ) {
    const records = await ledger.records(seq);
    for (const record of records) count(record, found);
    const last = records.at(-1);
    if (last === undefined) return found;
    seq = last.seq;
  }
}

const ofPool = /^~\w+\.([0-9a-f]+):/;

function count(record: LedgerRecord, found: Map<string, Sum>): void {
  if (record.type !== 'transfer' || record.transfer.outcome !== 'created') return;
  const { kind, pendingId, id, source, description } = record.transfer;
  const hash = ofPool.exec(pendingId ?? id)?.[1];
  if (hash === undefined) return;
  const sum = found.get(hash) ?? { open: 0, paid: new Set(), paidByDebt: new Set() };
  found.set(hash, sum);
  if (kind === 'transfer') {
    const back = description.replace('given back: ', '');
    if (!sum.paid.delete(back) && !sum.paidByDebt.delete(back)) sum.paid.add(`given back twice: ${back}`);
    return;
  }
  sum.open += kind === 'reserve' ? 1 : -1;
  if (kind === 'post' && pendingId !== null) (source.startsWith('~debt') ? sum.paidByDebt : sum.paid).add(pendingId);
}

/**
 * What is wrong at rest: a reservation is open exactly while its transaction lives, what is Finalized was paid once, everything
 * else was not paid, and the audit is clean. A payment of the debt wallet may stay paid: the payee owes it.
 */
export async function faultsAtRest(pool: CoupledPool, ledger: Ledger, isPaidAt = ['Finalized']): Promise<string[]> {
  const found = await sums(ledger);
  const faults = (await ledger.audit()).faults.map(({ message }) => message);
  const hashes = [...found.keys()];
  while (hashes.length > 0) {
    for (const { hash, stage } of await pool.status(hashes.splice(0, 1_000))) {
      const { open = 0, paid, paidByDebt } = found.get(hash) ?? {};
      const [certain, doubtful] = [paid?.size ?? 0, paidByDebt?.size ?? 0];
      const due = Number(isPaidAt.includes(stage));
      const isLive = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed'].includes(stage) && due === 0;
      if (open !== Number(isLive)) faults.push(`${hash} is ${stage} and has ${open} reservations open`);
      if (certain > due || certain + doubtful < due) {
        faults.push(`${hash} is ${stage} and was paid ${certain} times, and ${doubtful} times by the debt wallet`);
      }
    }
  }
  return faults;
}
