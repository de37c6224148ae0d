import { createPublicClient, createWalletClient, type Hash, http, type PublicClient, webSocket } from 'viem';
import { hardhat } from 'viem/chains';
import { expect, onTestFinished, test } from 'vitest';
import { backends, call, edge, poolOf } from './rpc.ts';
import { alice, signed } from './wallet.ts';

/** viem's client over a WebSocket, closed with the test. */
async function socketClient(url: string): Promise<PublicClient> {
  const client = createPublicClient({ chain: hardhat, transport: webSocket(url, { reconnect: false }) });
  const { close } = await client.transport.getRpcClient();
  onTestFinished(() => close());
  return client as PublicClient;
}

test.for(backends)('viem submits, asks and watches: %s', async (backend) => {
  const { url, socketUrl } = await edge(await poolOf(backend));
  const reader = createPublicClient({ chain: hardhat, transport: http(url) });
  const socket = await socketClient(socketUrl);
  const wallet = createWalletClient({ chain: hardhat, account: alice, transport: http(url) });
  expect(await socket.getChainId()).toBe(hardhat.id);

  const watched: Record<'socket' | 'filter', Hash[]> = { socket: [], filter: [] };
  // A subscription takes a moment, so the first transaction is sent when both watch.
  const ends = [
    socket.watchPendingTransactions({ onTransactions: (hashes) => watched.socket.push(...hashes) }),
    reader.watchPendingTransactions({
      onTransactions: (hashes) => watched.filter.push(...hashes),
      poll: true,
      pollingInterval: 20,
    }),
  ];
  const filter = await reader.createPendingTransactionFilter();
  const sent: Hash[] = [];
  for (const nonce of [0, 2, 1])
    sent.push(await wallet.sendRawTransaction({ serializedTransaction: await signed({ nonce }) }));
  const [first, third, second] = sent as [Hash, Hash, Hash];

  const { address } = alice;
  expect(await reader.getTransactionCount({ address, blockTag: 'pending' })).toBe(3);
  expect(await reader.getTransactionCount({ address })).toBe(0);
  expect(await reader.getTransaction({ hash: second })).toMatchObject({ hash: second, nonce: 1, blockHash: null });
  await expect(reader.getTransactionReceipt({ hash: second })).rejects.toThrow('could not be found');
  expect((await call(url, 'txpool_status')).result).toEqual({ pending: '0x3', queued: '0x0' });
  // Ready in the order of nonces, whatever the order in which they came.
  await expect.poll(() => reader.getFilterChanges({ filter })).toEqual([first, second, third]);
  await expect.poll(() => watched.filter.slice(-2)).toEqual([second, third]);
  await expect.poll(() => watched.socket.slice(-2)).toEqual([second, third]);
  for (const end of ends) end();
  expect(await reader.uninstallFilter({ filter })).toBe(true);
});
