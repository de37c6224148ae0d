import { type Lease, type Mempool, MempoolError } from 'mempool-core';
import { toBytes } from '../codec/json.ts';
import { readStored } from '../codec/message.ts';
import type { ProjectVotes } from '../contract/batch.ts';
import type { EpochRecord, TallyFacts } from '../contract/epoch.ts';
import type { Vote } from '../contract/submission.ts';
import { itemDigest } from '../rules/digest.ts';
import { partsOf, votePartsOf } from '../rules/parts.ts';
import { tally } from '../rules/tally.ts';
import { prefixOf, recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { DeposedError, maxRecordBytes } from '../store/records.ts';
import { countedIn } from './counted.ts';

/** The most hashes of one call, and of one record. */
const chunkSize = 1_000;

/**
 * Tallies a closed epoch whose pool has nothing Pending or Propagated any more that came in time, so that the set of votes does not
 * change. A crash at any point is made good by the next call: all that the tally decides is written before it changes the pool.
 */
export function tallyEpoch(namespace: Namespace, record: EpochRecord, lease: Lease): Promise<TallyFacts> {
  const { epoch } = record;
  return namespace.withEpoch(record, async (pool) => {
    const known = await namespace.records.read<TallyFacts>(recordNames.tally(epoch));
    const facts = known?.value ?? (await decide(namespace, epoch, pool, lease));
    await dropEquivocating(namespace, epoch, pool);
    await handOut(namespace, epoch, facts.parts);
    return facts;
  });
}

/** Writes the votes of each part and the hashes to drop; the facts last. */
async function decide(namespace: Namespace, epoch: number, pool: Mempool, lease: Lease): Promise<TallyFacts> {
  const { records } = namespace;
  const { projects, equivocating, counted, slots } = tally(await votesIn(pool));
  const parts = votePartsOf(projects, maxRecordBytes);
  const chunks = partsOf(equivocating, chunkSize);
  await Promise.all([
    ...parts.map((part, i) => records.writeOnce(recordNames.votes(epoch, i), part, lease)),
    ...chunks.map((chunk, i) => records.writeOnce(recordNames.equivocating(epoch, i), chunk, lease)),
  ]);
  const facts = { counted, slots, equivocating: equivocating.length, projects: projects.length, parts: parts.length };
  return records.writeOnce(recordNames.tally(epoch), facts, lease);
}

async function votesIn(pool: Mempool): Promise<Vote[]> {
  const votes: Vote[] = [];
  for await (const page of countedIn(pool))
    for (const { hash, payload } of page) {
      const submission = readStored(payload);
      if (submission === null) continue;
      const { slot, project, cid } = submission;
      votes.push({ hash, slot, project, cid });
    }
  return votes;
}

async function dropEquivocating({ records }: Namespace, epoch: number, pool: Mempool): Promise<void> {
  const chunks = await records.list<string[]>(prefixOf('equivocating', epoch));
  for (const { value } of chunks) await pool.drop(value, { app: 'equivocation' });
}

/** Puts the parts into the pool of work items. Present ones stay. @throws `ERR_MEMPOOL_STORE_FULL` */
async function handOut(namespace: Namespace, epoch: number, parts: number): Promise<void> {
  const items = await itemsOf(namespace, epoch, parts);
  for (const some of partsOf(items, chunkSize))
    for (const { kind } of await namespace.parts.receive(some))
      if (kind !== 'received' && kind !== 'duplicate')
        throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `the pool of parts answers ${kind}`);
}

function itemsOf({ records }: Namespace, epoch: number, parts: number) {
  const items = Array.from({ length: parts }, async (_, part) => {
    const votes = (await records.read<ProjectVotes[]>(recordNames.votes(epoch, part)))?.value ?? [];
    const projects = votes.map(({ project }) => project);
    return { hash: itemDigest(epoch, part, projects), payload: toBytes({ epoch, part }) };
  });
  return Promise.all(items);
}

/** Takes an epoch's work items out of their pool, when their results are in the batch. */
export async function dropItems(namespace: Namespace, epoch: number, parts: number): Promise<void> {
  const items = await itemsOf(namespace, epoch, parts);
  const hashes = items.map(({ hash }) => hash);
  for (const some of partsOf(hashes, chunkSize)) await namespace.parts.drop(some, { app: 'done' });
}

/**
 * Gives the epoch's pool one block of its own: everything that was counted is Finalized. Most such pools have no election; one
 * that shares the namespace's wants its lease.
 * @throws `DeposedError` if another node leads now
 */
export function settleEpoch(namespace: Namespace, record: EpochRecord, root: string, lease: Lease): Promise<void> {
  return namespace.withEpoch(record, async (pool) => {
    const seen: string[] = [];
    for await (const page of countedIn(pool)) for (const { hash } of page) seen.push(hash);
    const block = { point: { slot: record.epoch, hash: root }, seen, unseen: [] };
    const policy = { finalizeThreshold: 1 };
    const { kind } = await pool.confirm(block, policy);
    if (kind !== 'fenced') return;
    if ((await pool.confirm(block, policy, { lease })).kind === 'fenced')
      throw new DeposedError(`another node leads: epoch ${record.epoch} was not settled`);
  });
}
