// What the original did wrong, one test for each fault. Three are elsewhere. Killed workers: kill.test.ts. Participation:
// rules/participation.test.ts. Hours that are kept: board/board.test.ts.
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { LogEntry, StoredTransaction } from 'mempool-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Finalizer, Gateway, merkleRoot, openNamespace, type PartItem, type Sequencer, winners } from '../src/index.ts';
import { countedIn } from '../src/roles/counted.ts';
import { hasWaiting, isInTime } from '../src/roles/waiting.ts';
import { alone, backends, carry, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { batchOf, endorsementOf, leavesOf, send, submit } from './played.ts';
import { optionsOf, signed } from './validator.ts';

/** Submits something in an epoch of its own, and lets its window close. */
async function fill({ scene, first }: Awaited<ReturnType<typeof alone>>, epoch: number, projects = 1) {
  await openEpoch(scene, epoch);
  const content = Object.fromEntries(Array.from({ length: projects }, (_, i) => [`p${i}`, `c${epoch}`]));
  const leaves = await submit(first, epoch, content);
  scene.clock.ms += 10_000;
  return merkleRoot(leaves);
}

/** Names without what numbers and digests are in them. */
const kindOf = (name: string) => name.replaceAll(/[0-9a-f]{32,}|\d+/g, '#');

function grouped<T>(items: readonly T[], kind: (item: T) => string, shape: (item: T) => string) {
  const groups = Map.groupBy(items, kind);
  return new Map(Array.from(groups, ([name, all]) => [name, [...new Set(all.map(shape))]]));
}

const shapeOf = (value: unknown) =>
  Array.isArray(value)
    ? 'list'
    : Object.keys(value as object)
        .sort()
        .join();

describe.each(backends)('on %s', (backend) => {
  test('an epoch is lost when two finalizers end its last parts together', async () => {
    const played = await alone(backend, {}, ['v1']);
    const { one } = played;
    await one.start({ isCounting: false });
    const stop = new AbortController();
    let inside: PromiseWithResolvers<void>[] = [];
    /** Both hold a part before either ends one. */
    const count = async (votes: Parameters<typeof winners>[0], _: PartItem) => {
      const mine = Promise.withResolvers<void>();
      inside.push(mine);
      if (inside.length === 2) for (const each of inside) each.resolve();
      await mine.promise;
      return winners(votes);
    };
    const finalizers = one.processes.map(({ namespace }, i) =>
      new Finalizer(namespace, { owner: `f${i}`, count, concurrency: 1 }).run({ signal: stop.signal }),
    );
    onTestFinished(async () => {
      stop.abort();
      await Promise.all(finalizers);
    });
    for (let epoch = 1; epoch <= 5; epoch++) {
      inside = [];
      const root = await fill(played, epoch, 40);
      await phaseReached(one, epoch, 'onchain');
      expect(await one.first.epoch(epoch)).toMatchObject({ localRoot: root, tally: { parts: 2 } });
      expect(inside).toHaveLength(2);
    }
  });

  test('submissions about the end of the window are counted or dropped by accident of timing', async () => {
    // A fast machine sends more in the window than one slot or one peer may.
    const unlimited = { maxPerSlot: Number.POSITIVE_INFINITY, peerRate: Number.POSITIVE_INFINITY };
    const { one } = await alone(backend, { now: Date.now, ...unlimited }, ['v1']);
    await one.start();
    // Long enough for a busy machine to accept some.
    const closesAt = Date.now() + 3_000;
    const event = { kind: 'released', epoch: 1, closesAt, validators: ['v1'] } as const;
    await one.first.monitor.apply(event, one.leadership.lease);
    const answers: string[] = [];
    for (let i = 0; answers.at(-1) !== 'closed'; i++) {
      await delay(1);
      const sent = one.processes.map(({ gateway }, j) =>
        gateway.accept(signed({ epoch: 1, slot: j + 1, project: `p${i}`, cid: 'c' }), { peer: 'p' }),
      );
      for (const { kind } of await Promise.all(sent)) answers.push(kind);
    }
    const received = answers.filter((kind) => kind === 'received').length;
    expect(received).toBeGreaterThan(10);
    expect(answers.filter((kind) => kind !== 'received' && kind !== 'closed')).toEqual([]);
    await phaseReached(one, 1, 'onchain');
    await expect.poll(() => onEpoch(one.first, 1, hasWaiting)).toBe(false);
    await onEpoch(one.first, 1, async (pool) => {
      const counted: StoredTransaction[] = [];
      for await (const page of countedIn(pool)) counted.push(...page);
      const late: LogEntry[] = [];
      for await (const each of pool.finalized()) late.push(each);
      expect(counted.length + late.length).toBe(received);
      expect(counted.filter((each) => !isInTime(each, closesAt))).toEqual([]);
      expect(late.filter((each) => isInTime(each, closesAt))).toEqual([]);
      for (const { reason } of late) expect(reason).toEqual({ app: 'late' });
      expect((await one.first.epoch(1))?.tally).toMatchObject({ counted: counted.length, equivocating: 0 });
    });
    expect(one.processes.map(({ dequeuer }) => dequeuer.overtaken)).toEqual([0, 0]);
  });

  test('the timer of a window dies with its process', async () => {
    const now = Date.now;
    const { scene, one } = await alone(backend, { now }, ['v1']);
    const [opener, other] = one.processes as readonly [Sequencer, Sequencer];
    // Long enough for a busy machine to accept a message meanwhile.
    await opener.window.open({ epoch: 1, closesAt: now() + 1_500, validators: ['v1'] });
    let sent = 0;
    const message = () => signed({ epoch: 1, slot: 1, project: `p${++sent}`, cid: 'c' });
    expect(await other.gateway.accept(message(), { peer: 'p' })).toMatchObject({ kind: 'received' });
    await opener.close();
    await expect.poll(async () => (await other.gateway.accept(message(), { peer: 'p' })).kind).toBe('closed');
    // What a gateway whose clock stands still lets in does not count.
    await using namespace = await openNamespace({
      ...one.home,
      protocol: scene.protocol,
      market: 'market',
      now: () => 0,
    });
    const accepted = await new Gateway(namespace, optionsOf('v1')).accept(message(), { peer: 'p' });
    if (accepted.kind !== 'received') throw new Error(`it was ${accepted.kind}`);
    while ((await other.dequeuer.step(1)) > 0);
    const { stage, reason } = await onEpoch(other, 1, (pool) => pool.status(accepted.hash));
    expect({ stage, reason }).toEqual({ stage: 'Dropped', reason: { app: 'late' } });
  });

  test('one key has two types', async () => {
    const played = await alone(backend, {}, ['v1']);
    const { scene, one, first } = played;
    await one.start();
    for (const epoch of [1, 2]) {
      const root = await fill(played, epoch, 21);
      await phaseReached(one, epoch, 'onchain');
      await expect.poll(() => first.certificate(epoch)).not.toBeNull();
      await carry(one, epoch, root);
    }
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    const records = await first.namespace.records.list<unknown>('');
    const shapes = grouped(
      records,
      ({ name }) => kindOf(name),
      ({ value }) => shapeOf(value),
    );
    expect([...shapes.keys()].map((kind) => kind.split('/')[0]).sort()).toEqual([
      ...['agreed', 'certificate', 'endorsed', 'epoch', 'local', 'part', 'received', 'tally', 'votes'],
    ]);
    for (const [kind, all] of shapes) expect(all, kind).toHaveLength(1);
    if (backend !== 'redis') return;
    const operator = new Redis(scene.place.at);
    onTestFinished(() => operator.disconnect());
    const keys = await one.home.content();
    const types = await Promise.all(keys.map(async (key) => [key, await operator.type(key)] as const));
    for (const [kind, all] of grouped(
      types,
      ([key]) => kindOf(key),
      ([, type]) => type,
    ))
      expect(all, kind).toHaveLength(1);
  });

  test('the list of active epochs never shrinks', async () => {
    const played = await alone(backend, {}, ['v1']);
    const { scene, one, first } = played;
    const { lease } = await one.start().then(() => one.leadership);
    const ended = async (epoch: number, phase: string) => {
      await phaseReached(one, epoch, phase);
      await expect.poll(() => first.activeEpochs()).toEqual([]);
    };
    const root = await fill(played, 1);
    expect(await first.activeEpochs()).toEqual([1]);
    await phaseReached(one, 1, 'onchain');
    await carry(one, 1, root);
    await ended(1, 'complete');
    await openEpoch(scene, 2);
    scene.clock.ms += 20_000;
    await phaseReached(one, 2, 'level2');
    scene.clock.ms += 10_000;
    await ended(2, 'failed');
    expect(await first.epoch(2)).toMatchObject({ level1: 'skipped', level2: 'failed', reason: 'no_submissions' });
    await fill(played, 3);
    await phaseReached(one, 3, 'onchain');
    await first.monitor.apply({ kind: 'refused', epoch: 3, reason: 'reverted' }, lease);
    await ended(3, 'failed');
  });

  test('nobody writes the phase complete', async () => {
    const played = await alone(backend, {}, ['v1']);
    const { one, first } = played;
    await one.start();
    const root = await fill(played, 1);
    await phaseReached(one, 1, 'onchain');
    const { lease } = one.leadership;
    await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, lease);
    expect(await first.epoch(1)).toMatchObject({ phase: 'complete', level1: 'completed', onchain: 'confirmed', root });
  });

  test('the own id is missing among the validators of an epoch', async () => {
    const played = await alone(backend, {}, ['v1']);
    const { one, first } = played;
    await one.start();
    const root = await fill(played, 1);
    await expect.poll(() => first.certificate(1)).toMatchObject({ root, signatures: [{ validator: 'v1' }] });
    expect((await first.epoch(1))?.validators).toEqual(['v1']);
    expect((await first.agreement(1))?.validators).toEqual(['v1']);
  });

  test('a validator that is not among those of an epoch signs nothing, and follows the others', async () => {
    const others = ['v2', 'v3', 'v4'];
    const { scene, one, first } = await alone(backend, {}, others);
    await one.start();
    const leaves = leavesOf({ p0: 'c1' });
    const root = await fill({ scene, one, first }, 1);
    expect(root).toBe(merkleRoot(leaves));
    for (const name of others)
      await send(first, await batchOf(name, 1, leaves, others), await endorsementOf(name, 1, root));
    await expect.poll(() => first.certificate(1)).toMatchObject({ root, signatures: [{}, {}, {}] });
    expect(await first.agreement(1)).toMatchObject({ root, validators: others });
    expect(await first.namespace.outgoing.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0 });
    await carry(one, 1, root);
    await expect
      .poll(() => first.namespace.parts.usage())
      .toMatchObject({ pending: 0, propagated: 0, acknowledged: 0 });
  });
});
