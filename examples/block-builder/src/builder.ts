import type { PriorityMempool, ReapedTransaction } from 'mempool-core';
import { gasLimit } from './chain.ts';
import { decodeTransfer, type Transfer } from './transfer.ts';

/** What goes into a block, and what failed when it was executed. */
export interface Draft {
  readonly included: Candidate[];
  readonly failed: Candidate[];
}

export interface Candidate {
  readonly hash: string;
  readonly transfer: Transfer;
}

type Build = (pool: PriorityMempool) => Promise<Draft>;

/** Reads the best that fit, with their payloads. The gas of what fails stays unused. */
async function byReap(pool: PriorityMempool): Promise<Draft> {
  return executed(await pool.reap({ maxGas: gasLimit, skip: 5 }, { payloads: true, view: true }));
}

/** Walks over the order, and executes one after the other until the block is full. */
async function byWalk(pool: PriorityMempool): Promise<Draft> {
  const draft: Draft = { included: [], failed: [] };
  const walk = pool.bestIterator({ readAhead: 10 });
  let left = gasLimit;
  for await (const { hash, gas } of walk) {
    const [found] = gas > left ? [] : await pool.payloads([hash], { view: true });
    if (!found) {
      walk.markInvalid(hash);
      continue;
    }
    const candidate = { hash, transfer: decodeTransfer(found.payload) };
    if (candidate.transfer.fails) {
      walk.markInvalid(hash);
      draft.failed.push(candidate);
      continue;
    }
    draft.included.push(candidate);
    left -= gas;
  }
  return draft;
}

/** Takes the best that fit, so that no other builder gets them, and gives back what the block leaves out. */
async function byTake(pool: PriorityMempool): Promise<Draft> {
  const budget = { maxGas: gasLimit, skip: 5 };
  const { claimId, transactions } = await pool.take(budget, { owner: 'builder', claimMs: 60_000, payloads: true });
  const draft = executed(transactions);
  const kept = new Set([...draft.included, ...draft.failed].map(({ hash }) => hash));
  const left = transactions.map(({ hash }) => hash).filter((hash) => !kept.has(hash));
  await pool.release(left, { claim: claimId });
  return draft;
}

/** After a failure, the later nonces of its sender cannot be executed either. */
function executed(transactions: readonly ReapedTransaction[]): Draft {
  const draft: Draft = { included: [], failed: [] };
  const stopped = new Set<string>();
  for (const one of transactions) {
    const transfer = decodeTransfer(one.payload);
    if (stopped.has(transfer.sender)) continue;
    if (transfer.fails) stopped.add(transfer.sender);
    (transfer.fails ? draft.failed : draft.included).push({ hash: one.hash, transfer });
  }
  return draft;
}

/** The builder of a block: each of the three in turn. */
export function builderOf(block: number): { readonly way: string; readonly build: Build } {
  if (block % 3 === 0) return { way: 'reap', build: byReap };
  return block % 3 === 1 ? { way: 'a walk', build: byWalk } : { way: 'take', build: byTake };
}
