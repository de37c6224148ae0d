import type { Answer, Transaction, ValidateContext } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { describe, expect, it } from 'vitest';
import { block, hash, hashes, invalid, numbers, openPriority, pays, transaction, transactions, upTo } from './tap.ts';

const bad: Answer = { code: 4, log: 'spent', penalize: false };
const none = { revised: 0, dropped: 0, superseded: 0, skipped: 0, unchanged: [] };

/** An application whose answers the test may change; new transactions pay their number. */
async function openRechecked() {
  const answers = new Map<string, Answer>();
  const asked: string[] = [];
  const validate = ({ hash: of, payload: [first = 0] }: Transaction, { occasion, height }: ValidateContext): Answer => {
    if (occasion === 'recheck') asked.push(`${Number.parseInt(of, 16)} at ${height}`);
    return answers.get(of) ?? { priority: BigInt(first) };
  };
  return { ...(await openPriority({ validate, keepInvalidMs: 60_000 })), answers, asked };
}

describe('a recheck', () => {
  it('asks about what was checked below the height, the longest unchecked first, and applies the answers', async () => {
    const { pool, answers, asked } = await openRechecked();
    for (const [i, height] of [10, 9, 11, 10].entries()) await pool.submit(transaction(i + 1), { height });
    answers.set(hash(1), { priority: 100n });
    answers.set(hash(2), bad);
    expect(await pool.recheck({ height: 11 })).toEqual({ ...none, revised: 2, dropped: 1 });
    expect(asked).toEqual(['2 at 11', '1 at 11', '4 at 11']);
    expect(numbers(await pool.reap())).toEqual([1, 4, 3]);
    expect(await pool.status(hash(2))).toMatchObject({ stage: 'Dropped', reason: 'invalid' });
    expect(await pool.recheck({ height: 11 })).toEqual(none);
  });

  it('goes slice by slice, and others have their turn between two', async () => {
    const { pool, calls, asked } = await openRechecked();
    await pool.receive(transactions(...upTo(25)));
    calls.length = 0;
    const rechecked = pool.recheck({ height: 1, slice: 10 });
    await new Promise(setImmediate);
    const outcome = await pool.submit(pays(26, 1n), { height: 1 });
    const atOnce = asked.length;
    expect(await rechecked).toEqual({ ...none, revised: 25 });
    expect([outcome.kind, atOnce < 25, asked.length]).toEqual(['received', true, 25]);
    expect(calls.filter((call) => call.startsWith('revise'))).toEqual(['revise 10', 'revise 10', 'revise 5']);
  });

  it('leaves alone what vanishes, is taken or is checked by another one meanwhile', async () => {
    const { pool, other: store, before } = await openRechecked();
    await pool.receive(transactions(1, 2, 3, 4, 5));
    before('payloads', async () => void (await store.drop(hashes(1), 'failed')));
    before('revise', async () => {
      await store.drop(hashes(2), 'failed');
      await store.markInflight(hashes(3));
      const revision = { hash: hash(4), version: 1, answer: { priority: 77n } };
      before('revise', () => undefined);
      await store.revise([revision], { height: 1 });
    });
    expect(await pool.recheck({ height: 1 })).toEqual({ ...none, revised: 1, superseded: 1, skipped: 3 });
    expect((await pool.best()).map(({ priority }) => priority)).toEqual([77n, 5n]);
  });

  it('ends where a new verdict breaks a bound: that one stays as it was and is named', async () => {
    const { pool, answers } = await openRechecked();
    await pool.setLimits({ maxTxGas: 10 });
    await pool.receive(transactions(1, 2, 3, 4, 5));
    for (const n of [1, 2, 3]) answers.set(hash(n), { gas: 11 });
    const outcome = await pool.recheck({ height: 1, slice: 2 });
    expect(outcome).toEqual({ ...none, revised: 2, unchanged: hashes(1, 2, 3) });
    expect(numbers(await pool.stale({ height: 1 }))).toEqual([1, 2, 3]);
  });

  it('passes over a damaged transaction (M2)', async () => {
    const { pool, replace } = await openRechecked();
    await pool.receive(transactions(1, 2, 3));
    replace('payloads', (read) => (read as Transaction[]).map((each) => (each.hash === hash(2) ? null : each)));
    expect(await pool.recheck({ height: 1 })).toEqual({ ...none, revised: 2, skipped: 1 });
  });

  it('remembers a refusal until the next block: the transaction is refused again without asking', async () => {
    const { pool, answers } = await openRechecked();
    await pool.submit(transaction(1));
    answers.set(hash(1), bad);
    await pool.recheck({ height: 3 });
    answers.clear();
    expect(await pool.submit(transaction(1), { height: 4 })).toMatchObject({ kind: 'refused', code: 4 });
    await pool.confirm(block(1));
    expect(await pool.submit(transaction(1), { height: 4 })).toMatchObject({ kind: 'received' });
  });

  it('stays with what it applied where the signal aborts', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { pool, asked, after } = await openRechecked();
    await pool.receive(transactions(1, 2, 3));
    after('revise', async () => stop.abort(reason));
    await expect(pool.recheck({ height: 1, slice: 1, signal: stop.signal })).rejects.toBe(reason);
    expect(asked).toEqual(['1 at 1']);
    expect((await poolState(pool)).entries.filter(({ checkedHeight }) => checkedHeight === 1)).toHaveLength(1);
  });

  it('needs an application', async () => {
    const { pool } = await openPriority();
    await expect(pool.recheck({ height: 1 })).rejects.toMatchObject(invalid('validate'));
  });
});

describe('a verdict is of the height that its question was asked at', () => {
  /** An application that answers when it is let, and the heights that it was asked at. */
  async function openSlow(options: { readonly height?: () => number } = {}) {
    const asked: (number | undefined)[] = [];
    const answered = Promise.withResolvers<Answer>();
    const begun = Promise.withResolvers<void>();
    const validate = (_: Transaction, { height }: ValidateContext): Answer | Promise<Answer> => {
      begun.resolve();
      asked.push(height);
      return asked.length > 1 ? bad : answered.promise;
    };
    return { ...(await openPriority({ validate, ...options })), asked, begun, answered };
  }

  it('so one that a block overtakes is checked again', async () => {
    const { pool, asked, begun, answered } = await openSlow();
    const submitted = pool.submit(transaction(1));
    await begun.promise;
    await pool.confirm(block(1));
    answered.resolve({ priority: 5n });
    expect((await submitted).kind).toBe('received');
    expect(await pool.recheck({ height: 1 })).toEqual({ ...none, dropped: 1 });
    expect(asked).toEqual([0, 1]);
  });

  it('and the answer is not shared with one who comes after the block', async () => {
    const { pool, asked, begun, answered } = await openSlow();
    const first = pool.submit(transaction(1));
    await begun.promise;
    await pool.confirm(block(1));
    expect((await pool.submit(transaction(1))).kind).toBe('refused');
    answered.resolve({ priority: 5n });
    expect([(await first).kind, asked]).toEqual(['received', [0, 1]]);
  });
});
