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
  /** Ids of reservations that were posted. */
  readonly paid: Set<string>;
  /** Ids of those that were given back; also what the payee owes the debt wallet. */
  readonly back: Set<string>;
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

const ofPool = /^~\w+\.([0-9a-f]+):\d+/;
const ofBack = /^~(\w+\.([0-9a-f]+):\d+)\.back:/;

function count(record: LedgerRecord, found: Map<string, Sum>): void {
  if (record.type !== 'transfer') return;
  const { kind, outcome, pendingId, id, destination } = record.transfer;
  const reservation = pendingId ?? id;
  const [, posted = '', hashBack] = ofBack.exec(reservation) ?? [];
  const hash = hashBack ?? ofPool.exec(reservation)?.[1];
  if (hash === undefined) return;
  const sum = found.get(hash) ?? { open: 0, paid: new Set(), back: new Set() };
  found.set(hash, sum);
  if (hashBack !== undefined) {
    if (kind === 'post' || (outcome !== 'created' && destination === 'debt')) sum.back.add(`~${posted}`);
  } else if (outcome === 'created') {
    sum.open += kind === 'reserve' ? 1 : -1;
    if (kind === 'post') sum.paid.add(reservation);
  }
}

/**
 * What is wrong at rest: a reservation is open exactly while its transaction lives, what is Finalized was paid once, everything
 * else was not paid, and the audit is clean.
 */
export async function faultsAtRest(pool: CoupledPool, ledger: Ledger, isPaidAt = ['Finalized']): Promise<string[]> {
  const found = await sums(ledger);
  const faults = (await ledger.audit()).faults.map(({ message }) => message);
  const hashes = [...found.keys()];
  while (hashes.length > 0) {
    for (const { hash, stage } of await pool.checkStatus(hashes.splice(0, 1_000))) {
      const { open = 0, paid: posted, back } = found.get(hash) ?? {};
      const paid = posted?.difference(back ?? new Set()).size ?? 0;
      const isPaid = isPaidAt.includes(stage);
      const isLive = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed'].includes(stage) && !isPaid;
      if (open !== Number(isLive)) faults.push(`${hash} is ${stage} and has ${open} reservations open`);
      if (paid !== Number(isPaid)) faults.push(`${hash} is ${stage} and was paid ${paid} times`);
    }
  }
  return faults;
}
