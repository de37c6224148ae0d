import assert from 'node:assert/strict';
import type { PriorityMempool } from 'mempool-core';
import type { Candidate, Draft } from './builder.ts';
import { gasLimit } from './chain.ts';

/** Notes each block and what was submitted. At the end it tells whether all adds up. */
export class Check {
  readonly submitted: string[] = [];
  readonly #included: string[] = [];
  readonly #gone: string[] = [];

  /** @throws AssertionError if the block is too large, too cheap or not in order */
  block({ included }: Draft, dropped: readonly string[], baseFee: number): void {
    assert.ok(gasOf(included) <= gasLimit, 'the block has more gas than its limit');
    assert.ok(
      included.every(({ transfer }) => transfer.maxFee >= baseFee),
      'one does not pay the base fee',
    );
    assertOrder(included);
    this.#included.push(...included.map(({ hash }) => hash));
    this.#gone.push(...dropped);
  }

  /** @throws AssertionError if a transaction was lost, or was included twice. Returns how many there are of each kind. */
  async end(pool: PriorityMempool): Promise<Readonly<Record<'included' | 'failed' | 'waiting', number>>> {
    const [included, gone] = [new Set(this.#included), new Set(this.#gone)];
    assert.equal(included.size, this.#included.length, 'one was included twice');
    const waiting = this.submitted.filter((hash) => !included.has(hash) && !gone.has(hash));
    await assertStages(pool, [...included], ['Confirmed', 'Finalized']);
    await assertStages(pool, [...gone], ['Dropped']);
    await assertStages(pool, waiting, ['Pending']);
    assert.equal((await pool.usage()).pending, waiting.length, 'the pool has something else');
    return { included: included.size, failed: gone.size, waiting: waiting.length };
  }
}

export function gasOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { transfer }) => sum + transfer.gas, 0);
}

/** Nonces in order; and none in front of a better one, where it counts for no more than the nonces before it. */
function assertOrder(included: readonly Candidate[]): void {
  const last = new Map<string, { readonly nonce: number; readonly fee: number }>();
  let before = Number.POSITIVE_INFINITY;
  for (const { transfer } of included) {
    const { sender, nonce, maxFee } = transfer;
    const previous = last.get(sender);
    assert.ok(previous === undefined || nonce === previous.nonce + 1, 'nonces are not in order');
    const fee = Math.min(maxFee, previous?.fee ?? maxFee);
    assert.ok(fee <= before, 'a worse one comes first');
    last.set(sender, { nonce, fee });
    before = fee;
  }
}

async function assertStages(
  pool: PriorityMempool,
  hashes: readonly string[],
  stages: readonly string[],
): Promise<void> {
  const statuses = await Promise.all(hashes.map((hash) => pool.status(hash)));
  for (const { hash, stage } of statuses) assert.ok(stages.includes(stage), `${hash} is ${stage}`);
}
