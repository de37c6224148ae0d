import { setTimeout as delay } from 'node:timers/promises';
import {
  type Mempool,
  MempoolError,
  UnrecoverableError,
  type WorkContext,
  type WorkDone,
  type WorkOptions,
} from 'mempool-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closed, hash, hashes, invalid, open, openPriority, transaction, transactions, upTo } from './tap.ts';

const openings = { fifo: open, priority: openPriority };

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

/** A handler that says that it has begun, and ends with the promise. */
function hangs(begun: PromiseWithResolvers<void>, until: Promise<void>): Handle {
  return () => {
    begun.resolve();
    return until;
  };
}

/** Resolves with the reason when the signal aborts. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));
}

describe.each(Object.entries(openings))('work on a pool in %s order (P21)', (_, opening) => {
  it('hands out each transaction with its payload, a bounded number at once, and acknowledges it', async () => {
    const { pool } = await opening();
    await pool.receive(transactions(...upTo(40)));
    const abort = new AbortController();
    let [running, most] = [0, 0];
    const sizes = new Map<string, number>();
    const done = pool.work(
      async ({ hash, payload }) => {
        running += 1;
        most = Math.max(most, running);
        await delay(1);
        sizes.set(hash, payload.length);
        running -= 1;
        if (sizes.size === 40) setImmediate(() => abort.abort());
      },
      { concurrency: 7, signal: abort.signal },
    );
    expect(await done).toEqual({ acknowledged: 40, completed: 0, released: 0, failed: 0, lost: 0 });
    expect(most).toBe(7);
    expect(sizes.get(hash(3))).toBe(transaction(3).payload.length);
    expect((await pool.usage()).acknowledged).toBe(40);
  });

  it('completes each transaction whose handler returned, with onSuccess complete', async () => {
    const { pool } = await opening();
    await pool.receive(transactions(1));
    const abort = new AbortController();
    const done = pool.work(() => setImmediate(() => abort.abort()), { onSuccess: 'complete', signal: abort.signal });
    expect(await done).toEqual({ acknowledged: 0, completed: 1, released: 0, failed: 0, lost: 0 });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Finalized', confirmedAt: null });
    const wrong = pool.work(() => undefined, { onSuccess: 'drop' as 'complete' });
    await expect(wrong).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
  });

  it('holds back what failed, and drops it as failed after the last attempt', async () => {
    const opened = await opening();
    const tries: [string, number][] = [];
    const backoff = (attempt: number, error: unknown): number => {
      expect(error).toBeInstanceOf(RangeError);
      return attempt * 20;
    };
    const failing = (hash: string, { attempt }: WorkContext): void => {
      tries.push([hash, attempt]);
      if (hash !== hashes(2)[0] || attempt < 2) throw new RangeError('refused');
    };
    const working = work(opened, failing, { attempts: 3, backoff });
    await opened.pool.receive(transactions(1, 2));
    expect(await opened.pool.waitFor(hash(1))).toMatchObject({ kind: 'dropped', status: { reason: 'failed' } });
    expect(await opened.pool.status(hash(2))).toMatchObject({ stage: 'Acknowledged' });
    working.stop();
    expect(await working.done).toEqual({ acknowledged: 1, completed: 0, released: 3, failed: 1, lost: 0 });
    expect(tries.filter(([each]) => each === hash(1)).map(([, attempt]) => attempt)).toEqual([1, 2, 3]);
  });

  it('keeps the claim of a handler that takes longer, and others go on meanwhile', async () => {
    const time = { nowMs: 1_000_000 };
    const opened = await opening({ clock: () => time.nowMs }, { now: () => time.nowMs });
    const { pool, count } = opened;
    const [hanging, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const long = work(opened, hangs(begun, hanging.promise), { claimMs: 300, concurrency: 1 });
    await pool.submit(transaction(1));
    await begun.promise;
    const other = work(opened, () => undefined);
    await pool.submit(transaction(2));
    await pool.waitFor(hash(2), { stage: 'Acknowledged' });
    for (const _ of upTo(3)) {
      // The first of two more calls has been answered.
      const extended = count('extendClaim');
      await expect.poll(() => count('extendClaim')).toBeGreaterThan(extended + 1);
      time.nowMs += 200;
    }
    expect((await pool.sweep()).returned).toEqual([]);
    hanging.resolve();
    await pool.waitFor(hash(1), { stage: 'Acknowledged' });
    long.stop();
    other.stop();
    expect([await long.done, await other.done]).toMatchObject([{ acknowledged: 1 }, { acknowledged: 1 }]);
  });

  it('ends at an abort: what runs may finish, the rest is given back', async () => {
    const opened = await opening();
    const { pool } = opened;
    await pool.receive(transactions(1, 2));
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const handle: Handle = async (each, { signal }) => {
      const n = each === hash(1) ? 0 : 1;
      begun[n]?.resolve();
      await aborted(signal);
      if (n === 1) throw new Error('given up');
    };
    const working = work(opened, handle);
    await Promise.all(begun.map(({ promise }) => promise));
    working.stop();
    expect(await working.done).toEqual({ acknowledged: 1, completed: 0, released: 1, failed: 0, lost: 0 });
    expect(await pool.status(hashes(1, 2))).toMatchObject([{ stage: 'Acknowledged' }, { stage: 'Pending' }]);
    expect(await pool.hasPending()).toBe(true);
  });

  it('does not wait longer for a hanging handler than its claim lasts', async () => {
    const opened = await opening();
    await opened.pool.submit(transaction(1));
    const begun = Promise.withResolvers<void>();
    const working = work(opened, hangs(begun, new Promise(() => undefined)), { claimMs: 100 });
    await begun.promise;
    working.stop();
    expect(await working.done).toMatchObject({ acknowledged: 0, lost: 1 });
    await expect.poll(async () => (await opened.pool.sweep()).returned).toEqual([hash(1)]);
  });

  it('tells the handler that its claim is lost, and leaves the transaction to others', async () => {
    const time = { nowMs: 1_000_000 };
    const opened = await opening({}, { now: () => time.nowMs });
    const { pool } = opened;
    await pool.submit(transaction(1));
    const lost = Promise.withResolvers<unknown>();
    const working = work(
      opened,
      async (_, { signal, attempt }) => {
        if (attempt > 1) return;
        time.nowMs += 10_000;
        await pool.sweep();
        lost.resolve(await aborted(signal));
      },
      // The extension, after a third of it, must not come between those two.
      { claimMs: 900, concurrency: 1 },
    );
    expect(await lost.promise).toBeInstanceOf(Error);
    await pool.waitFor(hash(1), { stage: 'Acknowledged' });
    working.stop();
    expect(await working.done).toMatchObject({ acknowledged: 1, lost: 1 });
  });

  it('drops what went out too often with workers that are gone, and tries it no more', async () => {
    const time = { nowMs: 1_000_000 };
    const opened = await opening({}, { now: () => time.nowMs });
    const { pool } = opened;
    await pool.submit(transaction(1));
    await pool.take({}, { owner: 'gone', claimMs: 1 });
    time.nowMs += 2;
    await pool.sweep();
    const handled: string[] = [];
    const working = work(opened, (each) => handled.push(each), { attempts: 1 });
    expect(await pool.waitFor(hash(1))).toMatchObject({ kind: 'dropped', status: { reason: 'failed' } });
    working.stop();
    expect(await working.done).toMatchObject({ acknowledged: 0, failed: 1 });
    expect(handled).toEqual([]);
  });

  it('outlasts a store that is out of reach', async () => {
    const opened = await opening();
    const { pool, before } = opened;
    const failure = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'out of reach');
    let failures = 0;
    for (const verb of ['take', 'markAcknowledged'] as const)
      before(verb, () => {
        failures += 1;
        if (failures % 2 === 1) throw failure;
      });
    const working = work(opened, () => undefined);
    await pool.submit(transaction(1));
    await pool.waitFor(hash(1), { stage: 'Acknowledged' });
    working.stop();
    expect(await working.done).toMatchObject({ acknowledged: 1, lost: 0 });
  });

  it('handles what it took although the answer was lost', async () => {
    const opened = await opening();
    const { pool, after } = opened;
    after('take', async () => {
      if ((await pool.usage()).propagated === 0) return;
      after('take', () => Promise.resolve());
      throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the answer was lost');
    });
    const attempts: number[] = [];
    const working = work(opened, (_, { attempt }) => attempts.push(attempt), { claimMs: 600_000 });
    await pool.submit(transaction(1));
    await pool.waitFor(hash(1), { stage: 'Acknowledged' });
    working.stop();
    expect(await working.done).toEqual({ acknowledged: 1, completed: 0, released: 0, failed: 0, lost: 0 });
    expect(attempts).toEqual([1]);
  });

  it('gives back what it took if it ends before the answer is here', async () => {
    const opened = await opening();
    const { pool, after } = opened;
    let working: Working | null = null;
    after('take', async () => {
      if ((await pool.usage()).propagated === 0) return;
      working?.stop();
      after('take', () => Promise.resolve());
      throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the answer was lost');
    });
    await pool.submit(transaction(1));
    working = work(opened, () => undefined, { claimMs: 600_000 });
    expect(await working.done).toEqual({ acknowledged: 0, completed: 0, released: 1, failed: 0, lost: 0 });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Pending' });
  });

  it('ends with an error that does not pass', async () => {
    const opened = await opening();
    const fault = new MempoolError('ERR_MEMPOOL_PERMISSION', 'may not');
    opened.before('take', () => Promise.reject(fault));
    await expect(work(opened, () => undefined).done).rejects.toBe(fault);
  });

  it('ends with CLOSED when the pool closes, and tells its handlers', async () => {
    const opened = await opening();
    await opened.pool.submit(transaction(1));
    const told = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    const handle: Handle = async (_, { signal }) => {
      begun.resolve();
      told.resolve(await aborted(signal));
    };
    const working = work(opened, handle, { concurrency: 2 });
    await begun.promise;
    await opened.pool.close();
    expect(await told.promise).toMatchObject(closed);
    await expect(working.done).rejects.toMatchObject(closed);
  });

  it('drops at once what fails for good, for the reason given, also while it stops', async () => {
    const opened = await opening();
    const { pool } = opened;
    await pool.receive(transactions(1, 2, 3));
    const told = { [hash(1)]: undefined, [hash(2)]: { app: 'bad signature' }, [hash(3)]: 'failed' } as const;
    const begun = Promise.withResolvers<void>();
    const working = work(opened, async (each, { signal }) => {
      if (each === hash(3)) {
        begun.resolve();
        await aborted(signal);
      }
      throw new UnrecoverableError('refused', { reason: told[each] });
    });
    await Promise.all([pool.waitFor(hash(1)), pool.waitFor(hash(2)), begun.promise]);
    working.stop();
    expect(await working.done).toEqual({ acknowledged: 0, completed: 0, released: 0, failed: 3, lost: 0 });
    expect(await pool.status(hashes(1, 2, 3))).toMatchObject([
      { reason: 'failed' },
      { reason: { app: 'bad signature' } },
      { reason: 'failed' },
    ]);
  });

  it('drops nothing that another has taken since, though it fails for good', async () => {
    const time = { nowMs: 1_000_000 };
    const opened = await opening({}, { now: () => time.nowMs });
    const { pool } = opened;
    await pool.submit(transaction(1));
    const handle = async (): Promise<never> => {
      time.nowMs += 700_000;
      await pool.sweep();
      await pool.take({}, { owner: 'another', claimMs: 600_000 });
      working.stop();
      throw new UnrecoverableError('refused');
    };
    const working = work(opened, handle, { concurrency: 1 });
    expect(await working.done).toEqual({ acknowledged: 0, completed: 0, released: 0, failed: 0, lost: 1 });
    expect(await pool.status(hash(1))).toMatchObject({ stage: 'Propagated', attempts: 2 });
  });

  it('ends when backoff gives no duration, and the transaction is given back', async () => {
    const opened = await opening();
    await opened.pool.submit(transaction(1));
    const failing = (): never => {
      throw new Error('refused');
    };
    await expect(work(opened, failing, { backoff: () => Number.NaN }).done).rejects.toMatchObject(invalid('backoff'));
    expect(await opened.pool.status(hash(1))).toMatchObject({ stage: 'Pending' });
  });
});

it.each<[string, unknown]>([
  ['owner', { owner: 'with space' }],
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 1_001 }],
  ['claimMs', { claimMs: 99 }],
  ['claimMs', { claimMs: 2 ** 31 }],
  ['attempts', { attempts: 0 }],
  ['attempts', { attempts: 1.5 }],
  ['backoff', { backoff: 5 }],
  ['signal', { signal: {} }],
  ['concurency', { concurency: 2 }],
])('a bad option of work is refused by name: %s %#', async (field, options) => {
  const { pool } = await open();
  await expect(pool.work(() => undefined, options as WorkOptions)).rejects.toMatchObject(invalid(field));
});
