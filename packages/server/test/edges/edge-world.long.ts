import { expect, test } from 'vitest';
import { EdgeWorld, sharedBackends } from './edge-world.ts';
import { payment } from './payment.ts';

test.for([...sharedBackends, 'cluster', 'sentinels'] as const)(
  'the chain goes on when its leader is killed: %s',
  async (place) => {
    const world = await EdgeWorld.open(place, { edges: { blockfrost: {} } });
    const submitted = await fetch(`${world.servers[0]?.edges.blockfrost}/tx/submit`, {
      method: 'POST',
      headers: { 'content-type': 'application/cbor' },
      body: payment({ inputs: [{ hash: 'ab'.repeat(32), index: 0 }] }) as Uint8Array<ArrayBuffer>,
    });
    const hash = (await submitted.json()) as string;
    world.apply(hash);
    const killed = await world.killLeader();
    world.undo(1);
    world.apply(hash);
    const other = world.servers[1 - killed]?.url;
    const waited = await fetch(`${other}/api/v1/transactions/${hash}?wait=Confirmed`);
    expect(await waited.json()).toMatchObject({ waited: 'reached', stage: 'Confirmed' });
    await world.start(killed);
    expect((await fetch(`${world.servers[killed]?.url}/api/v1/transactions/${hash}`)).status).toBe(200);
  },
);
