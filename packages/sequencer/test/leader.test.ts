import type { DropReason, Mempool } from 'mempool-core';
import { describe, expect, test } from 'vitest';
import {
  DeposedError,
  Dequeuer,
  Epochs,
  forgetEpochs,
  merkleRoot,
  poolNames,
  type RetentionOptions,
  recordNames,
  type Sequencer,
} from '../src/index.ts';
import { alone, backends, carry, fates, names, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { batchOf, endorsementOf, leavesOf, offer, refusals, send, submit } from './played.ts';
import { signed } from './validator.ts';

const accept = async ({ gateway }: Sequencer, submission: Parameters<typeof signed>[0]) =>
  expect(await gateway.accept(signed(submission), { peer: 'p' })).toMatchObject({ kind: 'received' });

describe.each(backends)('on %s', (backend) => {
  test('batches that are forged, malformed, late or of strangers are refused, and what has no quorum is left out', async () => {
    const { scene, one, first } = await alone(backend);
    await one.start();
    await openEpoch(scene, 1);
    const same = await submit(first, 1, { a: 'x', b: 'y' });
    scene.clock.ms += 10_000;
    await phaseReached(one, 1, 'level2');
    const good = await batchOf('v2', 1, same);
    expect(await offer(first, { ...good, validator: 'v3' })).toEqual({ kind: 'bad-signature' });
    expect(await offer(first, { ...good, root: '00'.repeat(32) })).toEqual({ kind: 'bad-signature' });
    expect(await offer(first, await batchOf('stranger', 1, same))).toEqual({ kind: 'unknown-validator' });
    // Signed, with other leaves than those of its root.
    await send(first, { ...(await batchOf('v3', 1, leavesOf({ a: 'w' }))), leaves: same });
    await expect.poll(() => refusals(first)).toEqual(['malformed']);
    expect((await first.epoch(1))?.level2).toBe('collecting');
    await send(first, good, await batchOf('v3', 1, leavesOf({ a: 'x', b: 'z' })));
    await phaseReached(one, 1, 'onchain');
    const leaves = leavesOf({ a: 'x' });
    expect(await first.agreement(1)).toEqual({
      ...{ epoch: 1, root: merkleRoot(leaves), leaves, validators: names, equivocating: [] },
      leftOut: [
        {
          project: 'b',
          votes: [
            ['y', 2],
            ['z', 1],
          ],
        },
      ],
    });
    for (const name of ['v2', 'v3']) await send(first, await endorsementOf(name, 1, merkleRoot(leaves)));
    await expect.poll(() => first.certificate(1)).toMatchObject({ root: merkleRoot(leaves) });
    // The certificate is written before the epoch's record names its time.
    await expect.poll(async () => (await first.epoch(1))?.certifiedAt).not.toBeNull();
    expect(await offer(first, await batchOf('v3', 1, same))).toEqual({ kind: 'closed' });
  });

  test.each(['submission', 'level1', 'parts'])(
    'what a slow validator let in ends rightly when the chain is faster than its %s',
    async (when) => {
      const { scene, one, first } = await alone(backend);
      await one.join();
      await openEpoch(scene, 1);
      await submit(first, 1, { a: 'x' });
      for (const cid of ['one', 'two']) await accept(first, { epoch: 1, slot: 2, project: 'a', cid });
      await accept(first, { epoch: 1, slot: 3, project: 'a', cid: 'rejected' });
      const lead = () => first.monitor.step(1, one.leadership.lease);
      if (when !== 'submission') {
        expect(await first.dequeuer.step(1)).toBe(4);
        scene.clock.ms += 10_000;
        expect(await lead()).toBe(true);
        if (when === 'parts') expect(await lead()).toBe(true);
      }
      const root = '11'.repeat(32);
      const { lease } = one.leadership;
      expect(await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, lease)).toBe(true);
      expect(await first.monitor.apply({ kind: 'finalized', epoch: 1, root }, lease)).toBe(true);
      expect(await first.monitor.apply({ kind: 'finalized', epoch: 1, root }, lease)).toBe(false);
      if (when === 'submission') {
        expect(await lead()).toBe(false);
        scene.clock.ms += 10_000;
        expect(await lead()).toBe(false);
      }
      await one.start();
      await expect.poll(() => first.activeEpochs()).toEqual([]);
      expect(await first.epoch(1)).toMatchObject({ phase: 'complete', root, tally: { counted: 1, equivocating: 2 } });
      const ends = (await fates(first, 1)).map(([, fate]) => fate);
      expect(ends.sort()).toEqual(['counted', 'equivocation', 'equivocation', 'rejected']);
      await expect
        .poll(() => first.namespace.parts.usage())
        .toMatchObject({ pending: 0, propagated: 0, acknowledged: 0 });
    },
  );

  test('a deposed leader changes nothing', async () => {
    const { scene, one } = await alone(backend);
    await one.join();
    await openEpoch(scene, 1);
    const { lease } = one.leadership;
    expect(await one.elections[1]?.depose(lease.term)).toBe(true);
    scene.clock.ms += 10_000;
    await expect(one.first.monitor.step(1, lease)).rejects.toBeInstanceOf(DeposedError);
    expect((await one.first.epoch(1))?.phase).toBe('submission');
    const event = { kind: 'released', epoch: 2, closesAt: 1, validators: names } as const;
    await expect(one.first.monitor.apply(event, lease)).rejects.toBeInstanceOf(DeposedError);
    expect(await one.first.activeEpochs()).toEqual([1]);
  });

  test('a leader that dies while it drops contradictions has decided before: the next one drops the rest', async () => {
    const { scene, one, first } = await alone(backend);
    await one.join();
    await openEpoch(scene, 1);
    await submit(first, 1, { a: 'x' });
    for (const cid of ['one', 'two'])
      await first.gateway.accept(signed({ epoch: 1, slot: 2, project: 'a', cid }), { peer: 'p' });
    expect(await first.dequeuer.step(1)).toBe(3);
    scene.clock.ms += 10_000;
    const { lease } = one.leadership;
    const killed = new Error('killed');
    expect(await first.monitor.step(1, lease)).toBe(true);
    await onEpoch(first, 1, async (pool) => {
      const drop = pool.drop.bind(pool) as (hashes: readonly string[], reason: DropReason) => Promise<string[]>;
      const dying = async (hashes: readonly string[], reason: DropReason): Promise<string[]> => {
        pool.drop = drop as Mempool['drop'];
        await drop(hashes.slice(0, 1), reason);
        throw killed;
      };
      pool.drop = dying as Mempool['drop'];
    });
    await expect(first.monitor.step(1, lease)).rejects.toBe(killed);
    expect(await first.epoch(1)).toMatchObject({ phase: 'level1', tally: null });
    expect(await first.monitor.step(1, lease)).toBe(true);
    expect((await first.epoch(1))?.tally).toEqual({ counted: 1, equivocating: 2, slots: 1, projects: 1, parts: 1 });
    expect((await first.namespace.records.list('votes/')).map(({ value }) => value)).toEqual([
      [{ project: 'a', votes: [['x', 1]] }],
    ]);
    expect((await fates(first, 1)).map(([, fate]) => fate)).toEqual(['equivocation', 'equivocation']);
  });

  test('a forgotten epoch leaves nothing but what was agreed, and not even that if it is archived', async () => {
    const { scene, one, first } = await alone(backend);
    const { home } = one;
    await one.start();
    const complete = async (epoch: number): Promise<void> => {
      await openEpoch(scene, epoch);
      const leaves = await submit(first, epoch, { a: `x${epoch}` });
      for (const name of ['v2', 'v3']) await send(first, await batchOf(name, epoch, leaves));
      scene.clock.ms += 10_000;
      await phaseReached(one, epoch, 'onchain');
      await carry(one, epoch, merkleRoot(leaves));
      await expect.poll(() => first.activeEpochs()).toEqual([]);
    };
    const { records, incoming } = first.namespace;
    // A pool that a role has not closed yet is in use, and removed in a later round.
    const forgotten = (options: RetentionOptions = {}) =>
      expect.poll(() => forgetEpochs(first.namespace, one.leadership.lease, options).catch(({ code }) => code));
    const pools = async () => (await home.content()).filter((name) => name.includes('epoch:'));
    await complete(1);
    await forgotten().toEqual([]);
    expect(await pools()).not.toEqual([]);
    scene.clock.ms += 604_800_000;
    await complete(2);
    await forgotten().toEqual([1]);
    expect((await pools()).filter((name) => name.includes('epoch:1'))).toEqual([]);
    expect(await first.epoch(1)).toBeNull();
    expect(await first.agreement(1)).not.toBeNull();
    scene.clock.ms += 604_800_000;
    const archived: number[] = [];
    const archive = ({ epoch }: { readonly epoch: number }): void => void archived.push(epoch);
    await forgotten({ archive }).toEqual([2]);
    expect(archived).toEqual([2]);
    expect(await pools()).toEqual([]);
    expect((await records.list('')).map(({ name }) => name)).toEqual([`agreed/${'1'.padStart(16, '0')}`]);
    expect(await incoming.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0 });
  });

  test('a dequeuer makes no pool of an epoch that is forgotten while it checks what another one has', async () => {
    const { scene, one, first } = await alone(backend);
    const { home } = one;
    const { namespace } = first;
    await one.join();
    for (const epoch of [1, 2]) await openEpoch(scene, epoch);
    await accept(first, { epoch: 1, slot: 1, project: 'p', cid: 'c' });
    const [checking, checked, stop] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      new AbortController(),
    ];
    const verify = async (): Promise<boolean> => {
      checking.resolve();
      await checked.promise;
      return true;
    };
    const slow = new Dequeuer(namespace, { owner: 'slow', verify, idleMs: 10 });
    const running = slow.run({ signal: stop.signal });
    await checking.promise;
    await new Epochs(namespace).deactivate(2, one.leadership.lease);
    await namespace.records.replace(recordNames.epoch(2), null, undefined, one.leadership.lease);
    await namespace.removeEpoch(2);
    checked.resolve();
    // It checks what comes later, so it has looked at both.
    await expect.poll(async () => (await onEpoch(first, 1, (pool) => pool.usage())).acknowledged).toBe(1);
    await accept(first, { epoch: 1, slot: 2, project: 'p', cid: 'c' });
    await expect.poll(async () => (await onEpoch(first, 1, (pool) => pool.usage())).acknowledged).toBe(2);
    stop.abort();
    await running;
    expect((await home.content()).filter((name) => name.includes('epoch:2'))).toEqual([]);
  });
});

test('a name that has no encoding is refused with its option', () => {
  for (const wrong of ['\ud800', 'a\udc00b', '\udc00\ud800']) {
    expect(() => poolNames(wrong, 'm')).toThrow(new RangeError('protocol must not have a lone surrogate'));
    expect(() => poolNames('p', wrong)).toThrow(new RangeError('market must not have a lone surrogate'));
  }
  expect(poolNames('😀', 'm').control).toBe('%F0%9F%98%80:m');
});

test('two namespaces share no name', () => {
  const pairs = [
    ['a', 'b'],
    ['a:b', ''],
    ['', 'a:b'],
    ['a%3Ab', ''],
    ['a', 'b:parts'],
    ['x'.repeat(200), 'm'],
    ['x'.repeat(201), 'm'],
  ];
  const all = pairs.flatMap(([protocol = '', market = '']) => {
    const { control, parts, incoming, outgoing, epoch } = poolNames(protocol, market);
    return [control, parts, incoming, outgoing, epoch(1), epoch(9_007_199_254_740_991)];
  });
  expect(new Set(all).size).toBe(all.length);
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThanOrEqual(128);
});
