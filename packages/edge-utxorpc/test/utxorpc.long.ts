import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { EdgeWorld, forked, killed } from '../../server/test/edges/edge-world.ts';
import { realTransactions } from '../../server/test/edges/real-transactions.ts';
import { clientOf, fails, hashOf, messages, rawTx, Stage, type SubmitClient, sdkOf } from './clients.ts';

const ref = (hash: string): Uint8Array<ArrayBuffer> => Buffer.from(hash, 'hex');
const urlOf = (world: EdgeWorld, server: number): string => world.servers[server]?.edges.utxorpc as string;

/** The stages of one transaction, as far as they have come, over as many calls as it takes. */
class Waiting {
  readonly stages: number[] = [];
  readonly ended: Promise<void>;

  constructor(clients: () => SubmitClient, hash: string) {
    this.ended = this.#follow(clients, hash);
  }

  async #follow(clients: () => SubmitClient, hash: string): Promise<void> {
    for (;;) {
      try {
        for await (const { stage } of clients().waitForTx({ ref: [ref(hash)] }))
          if (stage !== this.stages.at(-1)) this.stages.push(stage);
        return;
      } catch {
        // The server has ended. The next call begins with the current stage.
      }
    }
  }
}

async function listed(world: EdgeWorld, server: number): Promise<string[]> {
  const { items } = await clientOf(urlOf(world, server)).readMempool({});
  return items.map((item) => hashOf(item.ref)).toSorted();
}

describe('clients of UTxO RPC', () => {
  test.for(forked)('through blocks and forks: %s, %s', async ([backend, ordering]) => {
    const world = await EdgeWorld.open(backend, { mempool: { ordering }, edges: { utxorpc: {} } });
    const last = world.servers.length - 1;
    const [first, second] = await realTransactions(2);
    if (first === undefined || second === undefined) throw new Error('no transactions');
    world.apply();
    const sdk = sdkOf(urlOf(world, 0));
    expect(hashOf(await sdk.submitTx(first.payload))).toBe(first.hash);
    const { ref: refs } = await clientOf(urlOf(world, last)).submitTx({ tx: rawTx(second.payload) });
    expect(refs.map(hashOf)).toEqual([second.hash]);
    expect(await listed(world, last)).toEqual([first.hash, second.hash].toSorted());
    const waits = [0, last].map((server) => new Waiting(() => clientOf(urlOf(world, server)), first.hash));
    await expect.poll(() => waits.map(({ stages }) => stages)).toEqual([[Stage.MEMPOOL], [Stage.MEMPOOL]]);
    world.apply(first.hash);
    await expect.poll(() => waits.map(({ stages }) => stages.at(-1))).toEqual([Stage.CONFIRMED, Stage.CONFIRMED]);
    expect(await listed(world, last)).toEqual([second.hash]);
    world.undo(1);
    world.apply();
    await expect.poll(() => waits.map(({ stages }) => stages.at(-1))).not.toContain(Stage.CONFIRMED);
    world.apply(first.hash);
    for (let block = 0; block < 3; block++) world.apply();
    await Promise.all(waits.map(({ ended }) => ended));
    for (const { stages } of waits) expect([stages[0], stages.at(-1)]).toEqual([Stage.MEMPOOL, Stage.CONFIRMED]);
    const dropped = fetch(`${world.servers[0]?.url}/api/v1/transactions/${second.hash}/drop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'failed' }),
    });
    expect((await dropped).status).toBe(200);
    const end = await messages(clientOf(urlOf(world, last)).waitForTx({ ref: [ref(second.hash)] }));
    expect(end).toMatchObject([{ stage: Stage.UNSPECIFIED }]);
  });

  test.for(killed)('through a kill of the leader and restarts: %s, %s', async ([backend, ordering]) => {
    const world = await EdgeWorld.open(backend, { mempool: { ordering }, edges: { utxorpc: {} } });
    const transactions = await realTransactions(60);
    const hashes = transactions.map(({ hash }) => hash);
    world.apply();
    await clientOf(urlOf(world, 0)).submitTx({ tx: rawTx(...transactions.slice(0, 50).map(({ payload }) => payload)) });
    const lead = await world.leader();
    const other = 1 - lead;
    const onOther = new Waiting(() => clientOf(urlOf(world, other)), hashes[0] as string);
    // Its server is killed: it asks whichever server lives.
    let alive = lead;
    const moving = new Waiting(() => clientOf(urlOf(world, alive)), hashes[0] as string);
    await expect.poll(() => [onOther.stages, moving.stages]).toEqual([[Stage.MEMPOOL], [Stage.MEMPOOL]]);
    world.apply(...hashes.slice(0, 10));
    await expect.poll(() => listed(world, other)).toEqual(hashes.slice(10, 50).toSorted());
    alive = other;
    await world.killLeader();
    await clientOf(urlOf(world, other)).submitTx({
      tx: rawTx(...transactions.slice(40).map(({ payload }) => payload)),
    });
    // Another block in its place: a chain that is only shorter may be one that is not read to its end.
    world.undo(1);
    world.apply();
    await expect.poll(() => onOther.stages.at(-1), { timeout: 20_000 }).not.toBe(Stage.CONFIRMED);
    expect(await listed(world, other)).toEqual(hashes.toSorted());
    await world.start(lead);
    expect(await listed(world, lead)).toEqual(hashes.toSorted());
    const stopped = clientOf(urlOf(world, other))
      .waitForTx({ ref: [ref(hashes[20] as string)] })
      [Symbol.asyncIterator]();
    expect(await stopped.next()).toMatchObject({ value: { stage: Stage.MEMPOOL } });
    await expect.poll(() => moving.stages.at(-1)).toBe(onOther.stages.at(-1));
    alive = lead;
    const { child, ended } = world.servers[other] as EdgeWorld['servers'][number];
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(await fails(stopped.next())).toMatchObject({ code: Code.Unavailable });
    world.apply(...hashes);
    for (let block = 0; block < 3; block++) world.apply();
    await world.start(other);
    await Promise.all([onOther.ended, moving.ended]);
    expect([onOther.stages.at(-1), moving.stages.at(-1)]).toEqual([Stage.CONFIRMED, Stage.CONFIRMED]);
    expect(await listed(world, other)).toEqual([]);
  });

  test('a thousand waits at once, and one more is refused', async () => {
    const world = await EdgeWorld.open('ephemeral', { edges: { utxorpc: {} } });
    const client = clientOf(urlOf(world, 0));
    const transactions = await realTransactions(100);
    world.apply();
    await client.submitTx({ tx: rawTx(...transactions.map(({ payload }) => payload)) });
    const waits = Array.from({ length: 1_000 }, async (_, i) =>
      messages(client.waitForTx({ ref: [ref(transactions[i % 100]?.hash as string)] })),
    );
    const unknown = new Uint8Array(32);
    const more = async (): Promise<Code> =>
      (await fails(messages(client.waitForTx({ ref: [unknown] }, { timeoutMs: 100 })))).code;
    await expect.poll(more).toBe(Code.Unavailable);
    expect((await client.readMempool({})).items).toHaveLength(100);
    world.apply(...transactions.map(({ hash }) => hash));
    for (let block = 0; block < 3; block++) world.apply();
    for (const all of await Promise.all(waits)) expect(all.at(-1)).toMatchObject({ stage: Stage.CONFIRMED });
    await expect.poll(more).toBe(Code.DeadlineExceeded);
  });
});
