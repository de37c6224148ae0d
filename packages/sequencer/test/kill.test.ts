import { fileURLToPath } from 'node:url';
import { startProgram } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { broadcast } from '../src/index.ts';
import { alone, type Cast, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { batchOf, send, submit } from './played.ts';
import { signed } from './validator.ts';

const program = fileURLToPath(new URL('victim.ts', import.meta.url));

/** Starts a process of the first validator, and kills it when it has taken so much. */
async function kill(
  role: string,
  { place, protocol, clock }: Cast,
  taken: () => Promise<unknown>,
  count: number,
): Promise<void> {
  const { child, ended } = startProgram([program, role, place.backend, place.at, protocol, `${clock.ms}`]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(taken).toMatchObject({ pending: 0, propagated: count });
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
}

test.each(['sqlite', 'redis'])(
  'the items of a killed worker are gone: no, others do them, once, on %s',
  async (backend) => {
    const { scene, one, first } = await alone(backend);
    const { parts, records } = first.namespace;
    await one.join();
    await openEpoch(scene, 1);
    for (const slot of [1, 2, 3])
      await first.gateway.accept(signed({ epoch: 1, slot, project: 'p', cid: 'c' }), { peer: 'p' });
    await kill('dequeuer', scene, () => onEpoch(first, 1, (pool) => pool.usage()), 3);
    scene.clock.ms += 10_000;
    await one.start({ isCounting: false });
    await expect.poll(() => parts.usage()).toMatchObject({ pending: 1 });
    expect(await onEpoch(first, 1, (pool) => pool.usage())).toMatchObject({ acknowledged: 3, logged: 0 });
    await kill('finalizer', scene, () => parts.usage(), 1);
    one.count();
    await phaseReached(one, 1, 'level2');
    expect(await first.epoch(1)).toMatchObject({ tally: { counted: 3, slots: 3, parts: 1 } });
    expect(await records.list('part/')).toMatchObject([{ value: [{ project: 'p', cid: 'c' }] }]);
    expect(await parts.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0, logged: 1 });
  },
);

test.each(['sqlite', 'redis'])(
  'messages that a killed process was sending or checking are sent and checked when its short claim ends, on %s',
  async (backend) => {
    const {
      scene,
      one,
      first: { namespace, aggregator },
    } = await alone(backend);
    const { incoming, outgoing, records } = namespace;
    await one.start({ isCounting: false });
    one.count();
    await openEpoch(scene, 1);
    const leaves = await submit(one.first, 1, { p: 'c' });
    scene.clock.ms += 10_000;
    await expect.poll(() => outgoing.usage()).toMatchObject({ pending: 1 });
    await send(one.first, await batchOf('v2', 1, leaves));
    await kill('sender', scene, () => outgoing.usage(), 1);
    await kill('collector', scene, () => incoming.usage(), 1);
    const stop = new AbortController();
    const { signal } = stop;
    const sent: Uint8Array[] = [];
    const working = [
      broadcast(namespace, { owner: 'next', signal, gossip: (message) => void sent.push(message) }),
      aggregator.collect({ owner: 'next', signal }),
    ];
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    await expect.poll(() => records.list('received/')).toMatchObject([{}, { value: { validator: 'v2' } }]);
    stop.abort();
    await Promise.all(working);
  },
);
