import { defaultRetention, type Ordering, type Transaction } from 'mempool-core';
import {
  defineBackend,
  MemoryPool,
  memoryDriver,
  PriorityPool,
  priorityMemoryDriver,
  receiveStep,
  type Step,
} from 'mempool-core/backend';
import { describe, expect, it } from 'vitest';

const capabilities = { durable: false, shared: false, lease: false, priority: true, records: false, import: false };
const one = { hash: 'ab'.repeat(32), payload: new Uint8Array([1, 2]), payloadType: 0 };
const other = { ...one, hash: 'cd'.repeat(32) };
/** Small payloads share a buffer that cannot be given away. */
const large = { ...one, payload: new Uint8Array(100_000) };

type Commit = (step: Step<unknown>) => unknown;

function priorityPool(): PriorityPool {
  return new PriorityPool({ epoch: 'one', retention: defaultRetention, limits: {} });
}

/** A pool whose steps are kept by `commit`. */
function opened<O extends Ordering>(ordering: O, commit: Commit) {
  const keep = commit as (step: Step<unknown>) => undefined;
  const backend = defineBackend({
    name: 'kept',
    capabilities,
    open: (options) => {
      const parts = { options, commit: keep, close: () => undefined };
      return ordering === 'fifo'
        ? memoryDriver({ ...parts, memory: new MemoryPool('epoch', defaultRetention) })
        : priorityMemoryDriver({ ...parts, pool: priorityPool() });
    },
  });
  return backend.open({ ordering });
}

/** Returns where the bytes are now. */
function giveAway(body: Transaction | null | undefined): Uint8Array {
  if (!body) throw new Error('a step without bytes');
  return new Uint8Array((body.payload.buffer as ArrayBuffer).transfer());
}

describe.each(['fifo', 'priority'] as const)('a %s pool in memory whose steps are kept', (ordering) => {
  it('refuses to be opened with a commit that is asynchronous', async () => {
    const message = expect.stringMatching('must be synchronous');
    await expect(opened(ordering, async () => undefined)).rejects.toMatchObject({
      code: 'ERR_MEMPOOL_INTERNAL',
      message,
    });
  });

  it.each<[string, Commit]>([
    ['throws', () => expect.fail('no room')],
    ['answers with a promise', () => Promise.reject(new Error('the disk is full'))],
  ])('is as it was, and the call fails, where the commit %s (X1)', async (_, commit) => {
    await using pool = await opened(ordering, commit);
    await expect(pool.receive([one])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
    expect(await pool.usage()).toMatchObject({ pending: 0, lastSeq: 0, lastEventSeq: 0 });
  });

  it('keeps bytes that no caller changes (M1)', async () => {
    const kept: Step<unknown>[] = [];
    await using pool = await opened(ordering, (step) => void kept.push(step));
    const payload = new Uint8Array([1, 2]);
    await pool.receive([{ ...one, payload }]);
    payload.fill(9);
    expect([...(kept[0]?.writes[0]?.body?.payload ?? [])]).toEqual([1, 2]);
  });
});

describe('a priority pool', () => {
  it('hands every step that changes it to the commit, and no other; replayed they make the same pool', async () => {
    const kept: Step<unknown>[] = [];
    await using pool = await opened('priority', (step) => void kept.push(step));
    await pool.receive([{ ...one, verdict: { priority: 3n } }], { operationId: 'one' });
    await pool.receive([one]);
    for (let i = 0; i < 2; i++) await pool.markInflight([one.hash]);
    await pool.setLimits({ maxTxs: 5 });
    expect(kept).toHaveLength(3);
    const again = priorityPool();
    for (const step of kept) again.replay(step);
    again.restored();
    expect(again.memory.findOperation('receive', { operationId: 'one' })?.outcome).toMatchObject([{ seq: 1 }]);
    const { epoch: _, cursors: __, ...usage } = await pool.usage();
    expect(again.usage()).toMatchObject(usage);
  });

  it('is as it was where the bytes of a step were given away while it was kept, and replays none of it (X1)', async () => {
    const kept: Step<unknown>[] = [];
    await using pool = await opened('priority', (step) => {
      kept.push(step);
      giveAway(step.writes[1]?.body);
    });
    await expect(pool.receive([{ ...large, hash: other.hash }, large])).rejects.toMatchObject({
      code: 'ERR_MEMPOOL_INTERNAL',
    });
    expect(await pool.usage()).toMatchObject({ pending: 0, lastSeq: 0, lastEventSeq: 0 });
    const again = priorityPool();
    const before = [...again.dump()];
    expect(() => again.replay(kept[0] as Step<unknown>)).toThrow(/cannot be read/);
    expect([...again.dump()]).toEqual(before);
  });
});

it.each(['apply', 'follow'] as const)('X1: %s changes nothing where bytes were given away', (verb) => {
  const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
  const memory = new MemoryPool('epoch', defaultRetention);
  memory.apply(receiveStep(memory, [one], thresholds));
  const given = new Uint8Array([7]);
  const step = receiveStep(memory, [one, other, { ...one, hash: 'ef'.repeat(32), payload: given }], thresholds);
  given.buffer.transfer();
  const before = [...memory.dump()];
  const run = { apply: () => memory.apply(step), follow: () => memory.follow(step, 4, 2) };
  expect(run[verb]).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_INTERNAL' }));
  expect([...memory.dump()]).toEqual(before);
  memory.apply(receiveStep(memory, [one, other], thresholds));
  expect(memory.usage()).toMatchObject({ pending: 2, lastSeq: 2, lastEventSeq: 2 });
});
