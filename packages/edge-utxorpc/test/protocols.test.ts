import { Code } from '@connectrpc/connect';
import { transactionHash } from 'mempool-cardano';
import { expect, test } from 'vitest';
import { served } from '../../server/test/http/served.ts';
import { clientOf, edgeUrl, fails, hashOf, opened, paymentOf, rawTx, Stage, sdkOf, transportNames } from './clients.ts';

const open = () => served(undefined, {}, {}, { utxorpc: { port: 0 } });

test.each(transportNames)('%s submits, reads, waits and watches', async (transport) => {
  const server = await open();
  const client = clientOf(edgeUrl(server), transport);
  const payloads = [paymentOf(1), paymentOf(2)];
  const { ref } = await client.submitTx({ tx: rawTx(...payloads) });
  expect(ref.map(hashOf)).toEqual(payloads.map(transactionHash));

  const { items } = await client.readMempool({});
  const pending = ref.map((each, i) => ({ ref: each, nativeBytes: new Uint8Array(payloads[i] ?? []), stage: 2 }));
  expect(items).toMatchObject(pending);

  const stages: number[] = [];
  const first = await opened(client.watchMempool({}), async () => {
    await server.pool.markInflight(ref.map(hashOf));
    await server.pool.release(ref.map(hashOf));
  });
  const { tx } = first.value ?? {};
  expect(transactionHash(tx.nativeBytes)).toBe(hashOf(tx.ref));
  for await (const { ref: which, stage } of client.waitForTx({ ref })) {
    stages.push(stage);
    if (stage === Stage.MEMPOOL) await server.pool.drop(hashOf(which), 'failed');
  }
  expect(stages).toEqual([Stage.MEMPOOL, Stage.MEMPOOL, Stage.UNSPECIFIED, Stage.UNSPECIFIED]);
  expect(await fails(client.evalTx({ tx: rawTx(paymentOf(1)) }))).toMatchObject({ code: Code.Unimplemented });
});

test('the SDK submits, waits and watches', async () => {
  const server = await open();
  const sdk = sdkOf(edgeUrl(server));
  const payload = paymentOf(1);
  const ref = await sdk.submitTx(payload);
  const hash = transactionHash(payload);
  expect(hashOf(ref)).toBe(hash);
  const stages: number[] = [];
  for await (const stage of sdk.waitForTx(ref)) {
    stages.push(stage);
    if (stage === Stage.MEMPOOL) await server.pool.markInflight(hash);
    if (stage === Stage.NETWORK) await server.pool.markAcknowledged(hash);
    if (stage === Stage.ACKNOWLEDGED) break;
  }
  expect(stages).toEqual([Stage.MEMPOOL, Stage.NETWORK, Stage.ACKNOWLEDGED]);
  const watched = await opened(sdk.watchMempool(), async () => {
    await server.pool.release(hash);
    await server.pool.markInflight(hash);
  });
  expect(watched.value).toMatchObject({ txoRef: ref, nativeBytes: new Uint8Array(payload) });
});
