import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  Aggregator,
  agreementDigest,
  EpochMonitor,
  type EpochRecord,
  merkleRoot,
  type Sequencer,
} from '../src/index.ts';
import { Batches } from '../src/store/batches.ts';
import { alone, backends, type Cast, carry, cast, openEpoch, phaseReached } from './cast.ts';
import { batchOf, endorsementOf, leavesOf, offer, refusals, send, submit } from './played.ts';
import { domain, optionsOf, type Validator, verifyBatch } from './validator.ts';

const four = ['v1', 'v2', 'v3', 'v4'];
const small = leavesOf({ a: 'x' });
const large = leavesOf({ a: 'x', b: 'y' });

/** One real validator of four, in level 2 of an epoch with its own batch of `a` and `b`. */
async function inLevel2(backend: string): Promise<{ scene: Cast; one: Validator }> {
  const { scene, one } = await alone(backend, {}, four);
  await one.start();
  await openEpoch(scene, 1);
  await submit(one.first, 1, { a: 'x', b: 'y' });
  scene.clock.ms += 10_000;
  await phaseReached(one, 1, 'level2');
  return { scene, one };
}

const batches = (epoch: number, content: typeof small, ...validators: readonly string[]) =>
  Promise.all(validators.map((name) => batchOf(name, epoch, content, four)));
const endorsements = (epoch: number, content: typeof small, ...validators: readonly string[]) =>
  Promise.all(validators.map((name) => endorsementOf(name, epoch, merkleRoot(content))));

describe.each(backends)('on %s', (backend) => {
  test('validators that were cut off from each other come to one certificate when they hear each other again', async () => {
    const scene = await cast(backend, { resendMs: 50, level2TimeoutMs: 5_000 }, four, four);
    const { validators, clock, cutOff } = scene;
    for (const each of validators) await each.start();
    await openEpoch(scene, 1);
    // The one that is alone has one project more, as a validator has that let in more submissions.
    for (const { first, name } of validators) await submit(first, 1, name === 'v4' ? { a: 'x', b: 'y' } : { a: 'x' });
    cutOff.add('v4');
    clock.ms += 10_000;
    for (const each of validators) await phaseReached(each, 1, 'level2');
    for (const { first } of validators.slice(0, 3))
      await expect.poll(() => first.namespace.records.list('received/')).toHaveLength(3);
    cutOff.add('v3');
    clock.ms += 5_000;
    await phaseReached(validators[3] as Validator, 1, 'failed');
    for (const each of validators.slice(0, 3)) await phaseReached(each, 1, 'onchain');
    cutOff.clear();
    const root = merkleRoot(small);
    for (const { first } of validators.slice(0, 3)) {
      await expect.poll(() => first.certificate(1)).toMatchObject({ epoch: 1, root });
      const { signatures } = (await first.certificate(1)) ?? { signatures: [] };
      expect(signatures.map(({ validator }) => validator)).toEqual(['v1', 'v2', 'v3']);
      const digest = agreementDigest({ domain, epoch: 1, root });
      for (const each of signatures) expect(verifyBatch({ ...each, digest })).toBe(true);
      await expect.poll(() => first.epoch(1)).toMatchObject({ phase: 'onchain', root, certifiedAt: clock.ms });
    }
    expect(await validators[3]?.first.epoch(1)).toMatchObject({ reason: 'no_quorum', certifiedAt: null });
    for (const each of validators.slice(0, 3)) await carry(each, 1, root);
    const { first, leadership } = validators[3] as Validator;
    await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, leadership.lease);
    expect(await first.epoch(1)).toMatchObject({ phase: 'complete', root, reason: null });
    for (const { first: each } of validators) {
      const { outgoing } = each.namespace;
      await expect.poll(() => outgoing.usage()).toMatchObject({ pending: 0, propagated: 0 });
    }
  });

  test('a validator that contradicts itself late is taken out again, and a third batch of it is refused', async () => {
    const { scene, one } = await inLevel2(backend);
    const { first } = one;
    await send(first, ...(await batches(1, large, 'v2', 'v3')));
    await expect.poll(() => first.namespace.records.list('received/')).toHaveLength(3);
    scene.clock.ms += 10_000;
    await expect.poll(() => first.epoch(1)).toMatchObject({ phase: 'onchain', root: merkleRoot(large) });
    await send(first, ...(await batches(1, small, 'v3', 'v4')));
    await expect.poll(() => first.epoch(1)).toMatchObject({ phase: 'onchain', root: merkleRoot(small) });
    expect(await first.agreement(1)).toMatchObject({ validators: ['v1', 'v2', 'v4'], equivocating: ['v3'] });
    const third = await batchOf('v3', 1, leavesOf({ a: 'other' }), four);
    expect(await offer(first, third)).toEqual({ kind: 'quota', limit: 2 });
    // A gateway that has not received the first two stores it.
    await send(one.processes[1] as Sequencer, third);
    await expect.poll(() => refusals(first)).toEqual(['equivocation']);
    // Nothing is left that a quorum has found: what was endorsed stays.
    await send(first, ...(await batches(1, large, 'v4')));
    await expect.poll(() => first.namespace.records.list('received/')).toHaveLength(6);
    await send(first, ...(await endorsements(1, small, 'v2', 'v4')));
    await expect.poll(() => first.certificate(1)).toMatchObject({ root: merkleRoot(small) });
    expect(await first.agreement(1)).toMatchObject({ leaves: small });
  });

  test('a quorum that endorsed another root decides: nobody is waited for any more', async () => {
    const { one } = await inLevel2(backend);
    const { first } = one;
    const other = leavesOf({ a: 'other' });
    await send(first, ...(await batches(1, large, 'v2')), ...(await endorsements(1, other, 'v2', 'v3', 'v4')));
    const root = merkleRoot(other);
    await expect.poll(() => first.certificate(1)).toMatchObject({ root, signatures: [{}, {}, {}] });
    await expect
      .poll(() => first.epoch(1))
      .toMatchObject({ phase: 'onchain', level2: 'completed', root, reason: null });
    expect(await first.agreement(1)).toMatchObject({ leaves: [], leftOut: [{ project: 'a' }, { project: 'b' }] });
    // Of this validator nothing was signed.
    expect(await first.namespace.records.list(`endorsed/${'1'.padStart(16, '0')}/v1/`)).toEqual([]);
    await carry(one, 1, root);
  });

  test('an epoch whose certificate never comes fails for that reason, and the chain overrides it', async () => {
    const { scene, one } = await inLevel2(backend);
    const { first } = one;
    await send(first, ...(await batches(1, large, 'v2', 'v3')), ...(await endorsements(1, large, 'v2')));
    await expect.poll(() => first.namespace.records.list('received/')).toHaveLength(3);
    scene.clock.ms += 10_000;
    await phaseReached(one, 1, 'onchain');
    scene.clock.ms += 60_000;
    await phaseReached(one, 1, 'failed');
    expect(await first.epoch(1)).toMatchObject({
      onchain: 'failed',
      reason: 'no_certificate',
      endedAt: scene.clock.ms,
    });
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    expect(await offer(first, await endorsementOf('v3', 1, merkleRoot(large)))).toEqual({ kind: 'closed' });
    const root = merkleRoot(large);
    await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, one.leadership.lease);
    expect(await first.epoch(1)).toMatchObject({ phase: 'complete', root, reason: null });
  });

  test('endorsements that are forged, malformed, of strangers or of too many roots are refused', async () => {
    const { one } = await inLevel2(backend);
    const { first } = one;
    const root = merkleRoot(large);
    const good = await endorsementOf('v2', 1, root);
    const { leaves: _, ...batch } = await batchOf('v2', 1, large, four);
    expect(await offer(first, await endorsementOf('stranger', 1, root))).toEqual({ kind: 'unknown-validator' });
    for (const each of [
      { ...good, root: merkleRoot(small) },
      { ...good, validator: 'v3' },
      { ...(await endorsementOf('v2', 2, root)), epoch: 1 },
      batch,
    ])
      expect(await offer(first, each)).toEqual({ kind: 'bad-signature' });
    expect(await offer(first, { ...good, signature: 'none' })).toEqual({ kind: 'malformed' });
    const noBatch = new TextEncoder().encode('{"leaves":[]}');
    expect(await first.gateway.acceptBatch(noBatch, { peer: 'v2' })).toEqual({ kind: 'malformed' });
    const roots = Array.from({ length: 9 }, (_, i) => String(i).repeat(64));
    for (const each of roots.slice(0, 8)) await send(first, await endorsementOf('v2', 1, each));
    const ninth = await endorsementOf('v2', 1, roots[8] as string);
    expect(await offer(first, ninth)).toEqual({ kind: 'quota', limit: 8 });
    await expect.poll(() => first.namespace.records.list('endorsed/')).toHaveLength(8);
    // A gateway that has not received the first eight stores it.
    await send(one.processes[1] as Sequencer, ninth);
    await expect.poll(() => refusals(first)).toEqual(['equivocation']);
    expect(await first.namespace.records.list('endorsed/')).toHaveLength(8);
  });

  test.each(['before', 'after'])(
    'a leader may be killed %s any write of level 2, and the next one goes on',
    async (when) => {
      const { scene, one, first } = await alone(backend, {}, four);
      await one.join();
      one.count();
      const dying = new DyingLeader(one, when);
      const stop = new AbortController();
      const collecting = first.aggregator.collect({ owner: 'collector', signal: stop.signal });
      onTestFinished(async () => {
        stop.abort();
        await collecting;
      });
      const received = async (epoch: number) => (await new Batches(first.namespace).receipts(epoch)).length;
      for (let epoch = 1; dying.isKilled; epoch++) {
        await openEpoch(scene, epoch);
        await submit(first, epoch, { a: 'x', b: 'y' });
        await first.dequeuer.step(epoch);
        scene.clock.ms += 10_000;
        await dying.lead(epoch, ({ phase }) => phase === 'level2');
        await send(first, ...(await batches(epoch, large, 'v2')), ...(await batches(epoch, small, 'v3')));
        await send(first, ...(await endorsements(epoch, large, 'v3', 'v4')));
        await expect.poll(() => received(epoch)).toBe(3);
        scene.clock.ms += 10_000;
        dying.killAt(epoch);
        await dying.lead(epoch, ({ phase, root }) => phase === 'onchain' && root === merkleRoot(small));
        await send(first, ...(await batches(epoch, large, 'v4')));
        await expect.poll(() => received(epoch)).toBe(4);
        await dying.lead(epoch, ({ certifiedAt }) => certifiedAt !== null);
        expect(await first.epoch(epoch)).toMatchObject({
          phase: 'onchain',
          level2: 'completed',
          root: merkleRoot(large),
        });
        expect(await first.agreement(epoch)).toMatchObject({ leaves: large, validators: four });
        const signatures = [{ validator: 'v1' }, { validator: 'v3' }, { validator: 'v4' }];
        expect(await first.certificate(epoch)).toMatchObject({ root: merkleRoot(large), signatures });
        // Its batch, and an endorsement of each of the two roots.
        expect(await first.namespace.outgoing.usage()).toMatchObject({ pending: 3 * epoch });
      }
      expect(dying.kills).toBeGreaterThan(8);
      stop.abort();
      await collecting;
    },
  );
});

const killed = new Error('killed');

/** Leads in the second process of a validator, which may be killed at a write. The next one remembers nothing. */
class DyingLeader {
  /** How many were killed. */
  kills = 0;
  isKilled = true;
  readonly #one: Validator;
  #left = Number.POSITIVE_INFINITY;

  constructor(one: Validator, when: string) {
    this.#one = one;
    const { records, outgoing } = this.#namespace;
    const mortal = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        this.#left -= 1;
        const isLast = this.#left === 0;
        if (isLast && when === 'before') throw killed;
        const result = await write(...args);
        if (isLast) throw killed;
        return result;
      };
    };
    Object.assign(records, { replace: mortal(records.replace.bind(records)) });
    Object.assign(outgoing, { submit: mortal(outgoing.submit.bind(outgoing)) });
  }

  get #namespace() {
    const [, { namespace }] = this.#one.processes as readonly [Sequencer, Sequencer];
    return namespace;
  }

  /** Kills the leader at this write from now on. */
  killAt(write: number): void {
    this.#left = write;
    this.isKilled = false;
  }

  async lead(epoch: number, isThere: (record: EpochRecord) => boolean): Promise<void> {
    let monitor = this.#monitor();
    for (;;) {
      const record = await this.#one.first.epoch(epoch);
      if (record !== null && isThere(record)) return;
      // A turn of the loop, for the renewals of the lease.
      await setImmediate();
      try {
        await monitor.step(epoch, this.#one.leadership.lease);
      } catch (error) {
        if (error !== killed) throw error;
        this.kills += 1;
        this.isKilled = true;
        monitor = this.#monitor();
      }
    }
  }

  #monitor(): EpochMonitor {
    const options = { ...optionsOf('v1'), now: this.#namespace.now };
    return new EpochMonitor(this.#namespace, new Aggregator(this.#namespace, options));
  }
}
