import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import { Dequeuer, merkleRoot, partsOf, type Sequencer } from '../src/index.ts';
import { alone, backends, carry, cast, fates, names, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { shuffled } from './rules/shuffled.ts';
import { type Planned, type Traffic, trafficOf } from './traffic.ts';
import { signed, type Validator } from './validator.ts';

/** Sends all messages to a validator in an order of its own, through both of its gateways; the counted ones twice. */
async function feed({ processes }: Validator, { planned, refused }: Traffic, random: Random): Promise<void> {
  const again = planned.filter(({ fate }) => fate === 'counted');
  const gatewayOf = () => (processes[random.below(processes.length)] as Sequencer).gateway;
  const send = async ({ message, peer, hash }: Planned): Promise<void> => {
    const accepted = await gatewayOf().accept(message, { peer });
    expect(accepted).toEqual({ kind: expect.stringMatching(/^(received|duplicate)$/), hash });
  };
  for (const { message, answer } of shuffled(refused, random))
    expect(await gatewayOf().accept(message, { peer: 'liar' })).toEqual({ kind: answer });
  for (const some of partsOf(shuffled([...planned, ...again], random))) await Promise.all(some.map(send));
}

const expected = (planned: readonly Planned[]) => planned.map(({ hash, fate }) => [hash, fate] as const).sort();

const honest = (epoch: number, slot: number) => signed({ epoch, slot, project: 'p', cid: 'c' });

describe.each(backends)('on %s', (backend) => {
  test(`every submission of five epochs ends once and rightly, and all nodes have one root (seed ${seed})`, async () => {
    const random = new Random(seed);
    const scene = await cast(backend);
    const { validators, clock } = scene;
    for (const each of validators) await each.start();
    for (let epoch = 1; epoch <= 5; epoch++) {
      const traffic = trafficOf(epoch, random);
      await openEpoch(scene, epoch);
      await Promise.all(validators.map((each) => feed(each, traffic, random)));
      clock.ms += 10_000;
      for (const { first } of validators)
        expect(await first.gateway.accept(honest(epoch, 1), { peer: 'p' })).toEqual({ kind: 'closed' });
      for (const each of validators) await phaseReached(each, epoch, 'onchain');

      const leaves = Array.from(traffic.winners, ([project, cid]) => ({ project, cid }));
      const root = merkleRoot(leaves);
      const agreement = { epoch, root, leaves, leftOut: [], validators: names, equivocating: [] };
      for (const { first } of validators) expect(await first.agreement(epoch)).toEqual(agreement);
      for (const each of validators) await carry(each, epoch, root);
      const counted = traffic.planned.filter(({ fate }) => fate === 'counted').length;
      const tally = { counted, equivocating: 12, slots: 4, projects: 45, parts: 3 };
      for (const { first } of validators) {
        expect(await fates(first, epoch)).toEqual(expected(traffic.planned));
        expect(await first.epoch(epoch)).toMatchObject({ phase: 'complete', root, localRoot: root, tally });
      }
    }
    for (const { first } of validators) await expect.poll(() => first.activeEpochs()).toEqual([]);
  });

  test('another dequeuer checks the submissions that a stalled one took, whose own answer comes too late', async () => {
    const { scene, one, first } = await alone(backend);
    await one.join();
    await openEpoch(scene, 1);
    for (const slot of [1, 2, 3]) await first.gateway.accept(honest(1, slot), { peer: 'p' });
    const stalled = Promise.withResolvers<boolean>();
    const options = { owner: 'stalled', verify: () => stalled.promise, claimMs: 300 };
    const step = new Dequeuer(first.namespace, options).step(1);
    const usage = () => onEpoch(first, 1, (pool) => pool.usage());
    await expect.poll(usage).toMatchObject({ propagated: 3 });
    scene.clock.ms += 10_000;
    await one.start();
    await expect.poll(async () => (await first.epoch(1))?.tally).toMatchObject({ counted: 3, parts: 1 });
    stalled.resolve(false);
    expect(await step).toBe(3);
    expect(await usage()).toMatchObject({ acknowledged: 3, logged: 0 });
  });
});
