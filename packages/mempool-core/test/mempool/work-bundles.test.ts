import { setTimeout as delay } from 'node:timers/promises';
import { type Mempool, UnrecoverableError, type WorkContext, type WorkDone, type WorkOptions } from 'mempool-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hash, openPriority, transaction, upTo } from './tap.ts';

interface Working {
  readonly done: Promise<WorkDone>;
  stop(): void;
}

type Handle = (hash: string, context: WorkContext) => unknown;

function work({ pool }: { readonly pool: Mempool }, handle: Handle, options: WorkOptions = {}): Working {
  const abort = new AbortController();
  const done = pool.work((one, context) => handle(one.hash, context), { signal: abort.signal, ...options });
  done.catch(() => undefined);
  onTestFinished(() => abort.abort());
  return { done, stop: () => abort.abort() };
}

it.each([1, 2, 4])(
  'P21, P31: a bundle of three that stands first is handed out to %i at once, and then the others',
  async (concurrency) => {
    const { pool } = await openPriority();
    const priced = (n: number, priority: bigint) => ({ ...transaction(n), verdict: { priority, gas: 1 } });
    await pool.receiveBundle([priced(1, 9n), priced(2, 9n), priced(3, 9n)]);
    await pool.receive([priced(4, 5n), priced(5, 4n)]);
    const handed: string[] = [];
    let [running, most] = [0, 0];
    const working = work(
      { pool },
      async (one) => {
        handed.push(one);
        running += 1;
        most = Math.max(most, running);
        await delay(2);
        running -= 1;
        if (handed.length === 5) working.stop();
      },
      { concurrency },
    );
    expect(await working.done).toEqual({ acknowledged: 5, released: 0, failed: 0, lost: 0 });
    expect([handed, most]).toEqual([upTo(5).map(hash), concurrency]);
  },
);

/** A priority pool with a bundle of three, and one behind it. */
async function withBundle() {
  const { pool } = await openPriority();
  const priced = (n: number, priority: bigint) => ({ ...transaction(n), verdict: { priority, gas: 1 } });
  await pool.receiveBundle([priced(1, 9n), priced(2, 9n), priced(3, 9n)]);
  await pool.receive([priced(4, 5n)]);
  const stages = async () => (await pool.checkStatus(upTo(4).map(hash))).map(({ stage }) => stage);
  return { pool, stages };
}

const again = { backoff: () => 0 };

describe('P21, P31: a bundle of which', () => {
  it.each([1, 2, 4])(
    'one fails is handed out again as a whole, and acknowledged as a whole, %i at once',
    async (concurrency) => {
      const { pool, stages } = await withBundle();
      const handed: string[] = [];
      const seen: unknown[] = [];
      const working = work(
        { pool },
        async (one, { attempt }) => {
          handed.push(one);
          if (one === hash(2) && attempt < 3) throw new Error('not yet');
          if (one === hash(3)) seen.push((await stages()).slice(0, 3));
          if (one === hash(3) && attempt === 3) working.stop();
        },
        { ...again, concurrency },
      );
      const { acknowledged, failed, lost } = await working.done;
      expect([acknowledged >= 3, failed, lost]).toEqual([true, 0, 0]);
      expect((await stages()).slice(0, 3)).toEqual(Array(3).fill('Acknowledged'));
      expect(handed.filter((one) => one === hash(1))).toHaveLength(3);
      // Until all of it is handled, none of it is acknowledged.
      for (const each of seen) expect(each).toEqual(Array(3).fill('Propagated'));
    },
  );

  it('one fails for good is dropped, and what of it was not handled is not', async () => {
    const { pool, stages } = await withBundle();
    const handed: string[] = [];
    const working = work(
      { pool },
      (one) => {
        handed.push(one);
        if (one === hash(2)) throw new UnrecoverableError('bad', { reason: { app: 'bad' } });
        if (one === hash(4)) working.stop();
      },
      { concurrency: 1 },
    );
    expect(await working.done).toEqual({ acknowledged: 1, released: 0, failed: 3, lost: 0 });
    expect(handed).toEqual([1, 2, 4].map(hash));
    expect(await stages()).toEqual(['Dropped', 'Dropped', 'Dropped', 'Acknowledged']);
    expect((await pool.status(hash(1))).reason).toEqual({ app: 'bad' });
  });

  it('one fails too often is dropped after its last attempt', async () => {
    const { pool, stages } = await withBundle();
    let attempts = 0;
    const working = work(
      { pool },
      (one, { attempt }) => {
        if (one === hash(4)) return attempts === 3 ? working.stop() : Promise.reject(new Error('later'));
        if (one !== hash(3)) return undefined;
        attempts = attempt;
        throw new Error('again');
      },
      { ...again, attempts: 3 },
    );
    expect(await working.done).toMatchObject({ failed: 3, lost: 0 });
    expect((await stages()).slice(0, 3)).toEqual(Array(3).fill('Dropped'));
  });

  it('one waits for a place when the work ends is released as a whole', async () => {
    const { pool, stages } = await withBundle();
    const working = work({ pool }, () => working.stop(), { concurrency: 1 });
    expect(await working.done).toEqual({ acknowledged: 0, released: 3, failed: 0, lost: 0 });
    expect(await stages()).toEqual(Array(4).fill('Pending'));
    const { transactions: taken } = await pool.take({ maxTxs: 3 }, { owner: 'next', claimMs: 60_000 });
    expect(taken.map((each) => each.hash)).toEqual(upTo(3).map(hash));
  });

  it('all are handled when the work ends is acknowledged', async () => {
    const { pool, stages } = await withBundle();
    let handled = 0;
    const working = work({ pool }, () => ++handled === 3 && working.stop(), { concurrency: 3 });
    expect(await working.done).toEqual({ acknowledged: 3, released: 0, failed: 0, lost: 0 });
    expect((await stages()).slice(0, 3)).toEqual(Array(3).fill('Acknowledged'));
  });
});
