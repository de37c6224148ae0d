import { describe, expect, onTestFinished, test } from 'vitest';
import { Gateway, openNamespace, submissionDigest, Window } from '../src/index.ts';
import { PeerBuckets } from '../src/roles/peer-buckets.ts';
import { alone, backends, cast, onEpoch, openEpoch } from './cast.ts';
import { memoryHome } from './home.ts';
import { domain, optionsOf, signed, type Validator } from './validator.ts';

const honest = (slot: number) => signed({ epoch: 1, slot, project: 'p', cid: 'c' });

describe('the buckets of peers', () => {
  test('let a burst through, then so many per second, and say when the next may come', () => {
    const buckets = new PeerBuckets({ rate: 4, burst: 3, peers: 10 });
    expect([1, 2, 3, 4, 5].map(() => buckets.take('a', 1_000))).toEqual([0, 0, 0, 250, 250]);
    expect(buckets.take('b', 1_000)).toBe(0);
    expect(buckets.take('a', 1_249)).toBe(1);
    expect([1, 2].map(() => buckets.take('a', 1_250))).toEqual([0, 250]);
    expect([1, 2, 3, 4].map(() => buckets.take('a', 99_000))).toEqual([0, 0, 0, 250]);
  });

  test('give nothing back when the clock goes back', () => {
    const buckets = new PeerBuckets({ rate: 1, burst: 1, peers: 10 });
    expect([5_000, 1_000, 1_999, 2_000].map((now) => buckets.take('a', now))).toEqual([0, 1_000, 1, 0]);
  });

  test('have a bounded size, however many peers there are, and remember those that sent last', () => {
    const buckets = new PeerBuckets({ rate: 1, burst: 1, peers: 100 });
    expect(buckets.take('known', 0)).toBe(0);
    for (let i = 0; i < 10_000; i++) {
      buckets.take(`hostile-${i}`, 0);
      if (i % 50 === 0) expect(buckets.take('known', 0)).toBe(1_000);
    }
    expect(buckets.size).toBe(100);
  });

  test('without a rate let everything through', () => {
    const buckets = new PeerBuckets({ rate: Number.POSITIVE_INFINITY, burst: Number.POSITIVE_INFINITY, peers: 1 });
    for (let i = 0; i < 10; i++) expect(buckets.take('a', 0)).toBe(0);
  });
});

describe.each(backends)('on %s', (backend) => {
  test('messages of a slot that come at once are stored up to the limit, and a refused one does not count', async () => {
    const scene = await cast(backend, { maxPerSlot: 3 }, ['v1']);
    const validator = scene.validators[0] as Validator;
    await validator.join();
    await openEpoch(scene, 1);
    const vote = (cid: string) => signed({ epoch: 1, slot: 7, project: 'p', cid });
    const accept = (cid: string) => validator.first.gateway.accept(vote(cid), { peer: 'p' });
    const atOnce = await Promise.all(['a', 'a', 'b', 'b', 'c', 'd', 'e'].map(accept));
    expect(atOnce.filter(({ kind }) => kind === 'received').length).toBeLessThanOrEqual(3);
    const later = [];
    for (const cid of ['f', 'g', 'h', 'i']) later.push((await accept(cid)).kind);
    expect(later.at(-1)).toBe('quota');
    const received = [...atOnce.map(({ kind }) => kind), ...later].filter((kind) => kind === 'received');
    expect(received).toHaveLength(3);
  });

  test('a peer that sends too much is told when to come back, and others are heard', async () => {
    const scene = await cast(backend, { peerRate: 2, peerBurst: 3 }, ['v1']);
    const [
      {
        first: { gateway },
      },
      ...none
    ] = scene.validators as readonly [Validator];
    expect(none).toEqual([]);
    await scene.validators[0]?.join();
    await openEpoch(scene, 1);
    const kinds = [];
    for (let slot = 1; slot <= 4; slot++) kinds.push(await gateway.accept(honest(slot), { peer: 'loud' }));
    expect(kinds.map(({ kind }) => kind)).toEqual(['received', 'received', 'received', 'rate-limit']);
    expect(kinds[3]).toEqual({ kind: 'rate-limit', retryMs: 500 });
    // What is wrong in itself counts, too, and so do batches.
    expect(await gateway.accept(new Uint8Array(20_000), { peer: 'loud' })).toMatchObject({ kind: 'rate-limit' });
    expect(await gateway.acceptBatch(new Uint8Array(1), { peer: 'loud' })).toMatchObject({ kind: 'rate-limit' });
    expect(await gateway.acceptBatch(new Uint8Array(1), { peer: 'quiet' })).toMatchObject({ kind: 'malformed' });
    expect(await gateway.accept(honest(4), { peer: 'quiet' })).toMatchObject({ kind: 'received' });
    scene.clock.ms += 500;
    expect(await gateway.accept(honest(5), { peer: 'loud' })).toMatchObject({ kind: 'received' });
    expect(await gateway.accept(honest(6), { peer: 'loud' })).toMatchObject({ kind: 'rate-limit' });
  });

  test('an epoch holds maxTxs submissions at most, and the window of the next is free', async () => {
    const {
      scene,
      one,
      first: { gateway },
    } = await alone(backend, { maxTxs: 3 });
    await one.join();
    await openEpoch(scene, 1);
    const kinds: string[] = [];
    for (let slot = 1; slot <= 5; slot++) kinds.push((await gateway.accept(honest(slot), { peer: 'p' })).kind);
    expect(kinds).toEqual(['received', 'received', 'received', 'full', 'full']);
    expect(await onEpoch(one.first, 1, (pool) => pool.usage())).toMatchObject({ pending: 3 });
    expect(await gateway.accept(honest(1), { peer: 'p' })).toMatchObject({ kind: 'duplicate' });
    await openEpoch(scene, 2);
    const next = signed({ epoch: 2, slot: 1, project: 'p', cid: 'c' });
    expect(await gateway.accept(next, { peer: 'p' })).toMatchObject({ kind: 'received' });
  });
});

test('the hash is the digest that the slot signs, and bytes around a message make it malformed', async () => {
  const { scene, one } = await alone('ephemeral');
  await one.join();
  await openEpoch(scene, 1);
  const { gateway } = one.first;
  const hash = submissionDigest({ domain, epoch: 1, slot: 1, project: 'p', cid: 'c' });
  expect(await gateway.accept(honest(1), { peer: 'p' })).toEqual({ kind: 'received', hash });
  for (const bytes of [[0xef, 0xbb, 0xbf, ...honest(1)], [...honest(1), 0xff], []])
    expect(await gateway.accept(Uint8Array.from(bytes), { peer: 'p' })).toEqual({ kind: 'malformed' });
});

test('limits by which nobody could send anything are refused', async () => {
  const { validators } = await cast('ephemeral', {}, ['v1']);
  const [
    {
      first: { namespace },
    },
  ] = validators as readonly [Validator];
  for (const options of [{ peerRate: 0 }, { peerRate: Number.NaN }, { peerBurst: 0 }, { domain: '0x' }])
    expect(() => new Gateway(namespace, { ...optionsOf('v1'), ...options })).toThrow(RangeError);
});

describe('the pools of epochs', () => {
  /** A namespace in memory that tells which pools are open. A pool of `closing` is closed when its promise resolves. */
  async function watched(closing: ReadonlyMap<string, Promise<void>> = new Map()) {
    const home = memoryHome();
    const open = new Set<string>();
    const clock = { ms: Date.now() };
    const openPool: typeof home.openPool = async (name, options) => {
      const pool = await home.openPool(name, options);
      open.add(name);
      const close = async () => {
        await closing.get(name);
        open.delete(name);
        await pool.close();
      };
      return new Proxy(pool, { get: (target, key) => (key === 'close' ? close : Reflect.get(target, key)) });
    };
    const options = { protocol: 'p', market: 'm', removePool: home.removePool, now: () => clock.ms };
    const namespace = await openNamespace({ ...options, openPool });
    onTestFinished(async () => {
      await namespace.close();
      await home.close();
    });
    return { namespace, open, clock };
  }

  test('of windows that are over are not kept open by a process that is a gateway only, also if nobody comes late', async () => {
    const { namespace, open, clock } = await watched();
    const gateway = new Gateway(namespace, optionsOf('v1'));
    for (let epoch = 1; epoch <= 5; epoch++) {
      await new Window(namespace).open({ epoch, closesAt: clock.ms + 10_000, validators: ['v1'] });
      const message = signed({ epoch, slot: 1, project: 'p', cid: 'c' });
      expect(await gateway.accept(message, { peer: 'p' })).toMatchObject({ kind: 'received' });
      expect([...open].filter((name) => name.includes(':epoch:'))).toEqual([`p:m:epoch:${epoch}`]);
      clock.ms += 10_000;
      await namespace.records.removeAll('active/');
    }
  });

  test('are not closed in the hands of who uses them, however many want to close them', async () => {
    const slow = Promise.withResolvers<void>();
    const { namespace } = await watched(new Map([['p:m:epoch:1', slow.promise]]));
    for (const epoch of [1, 2]) await namespace.withEpoch({ epoch }, () => undefined);
    const first = namespace.closeOthers([]);
    await namespace.closeOthers([]);
    const usage = namespace.withEpoch({ epoch: 2 }, async (pool) => {
      slow.resolve();
      await first;
      return pool.usage();
    });
    expect(await usage).toMatchObject({ pending: 0 });
  });
});
