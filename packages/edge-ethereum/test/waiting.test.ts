import { JsonRpcProvider, type TransactionResponse, Wallet, WebSocketProvider } from 'ethers';
import type { ChainPoint } from 'mempool-core';
import { createPublicClient, createWalletClient, getContractAddress, type Hash, http, webSocket } from 'viem';
import { hardhat } from 'viem/chains';
import { expect, onTestFinished, test } from 'vitest';
import { backends, call, edge, poolOf } from './rpc.ts';
import { alice, bob } from './wallet.ts';

const gwei = 10n ** 9n;
const fees = { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei };

/** The blocks that a pool applies. */
class Blocks {
  readonly #pool: Awaited<ReturnType<typeof edge>>['running']['pool'];
  #made = 0;

  constructor({ pool }: Awaited<ReturnType<typeof edge>>['running']) {
    this.#pool = pool;
  }

  /** Applies a block with these transactions. */
  async add(...hashes: readonly string[]): Promise<ChainPoint> {
    const made = ++this.#made;
    const point = { slot: made, hash: made.toString(16).padStart(64, '0') };
    await this.#pool.confirm({ point, seen: hashes.map((hash) => hash.slice(2)), unseen: [] });
    return point;
  }

  /** Applies empty blocks until the promise is settled. */
  async during<T>(awaited: Promise<T>): Promise<T> {
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
    };
    awaited.then(end, end);
    const next = async (): Promise<boolean> => {
      if (!isSettled) await this.add();
      return isSettled;
    };
    await expect.poll(next, { timeout: 20_000 }).toBe(true);
    return awaited;
  }
}

/** ethers' provider over HTTP or a WebSocket. Without its cache it asks for the nonce of each transaction. */
function ethersProvider(url: string): JsonRpcProvider | WebSocketProvider {
  const options = { cacheTimeout: -1, pollingInterval: 20 };
  const provider = url.startsWith('ws')
    ? new WebSocketProvider(url, undefined, options)
    : new JsonRpcProvider(url, undefined, options);
  onTestFinished(async () => {
    await provider.removeAllListeners();
    // It ends its filters and subscriptions by calls that nobody awaits.
    await provider.send('net_version', []);
    await provider.destroy();
  });
  return provider;
}

test.for(backends.flatMap((backend) => [[backend, 'HTTP'] as const, [backend, 'WebSocket'] as const]))(
  'ethers sends and waits without an upstream: %s, %s',
  async ([backend, transport]) => {
    const { url, socketUrl, running } = await edge({ ...(await poolOf(backend)), finalizeThreshold: 3 });
    const provider = ethersProvider(transport === 'HTTP' ? url : socketUrl);
    const wallet = new Wallet(`0x${(1_001).toString(16).padStart(64, '0')}`, provider);
    const blocks = new Blocks(running);
    await blocks.add();
    const seen: string[] = [];
    await provider.on('pending', (hash) => seen.push(hash));
    // Both share one feed. It has begun when this one is answered.
    if (transport === 'HTTP') await provider.send('eth_newPendingTransactionFilter', []);
    else await provider.send('eth_subscribe', ['newPendingTransactions']);

    const sent: TransactionResponse[] = [];
    for (let i = 0; i < 2; i += 1)
      sent.push(await wallet.sendTransaction({ ...fees, gasLimit: 21_000n, to: bob.address, value: 1n }));
    const [first, second] = sent as [TransactionResponse, TransactionResponse];
    expect([first.nonce, second.nonce]).toEqual([0, 1]);
    expect(await provider.getTransactionReceipt(first.hash)).toBe(null);
    const receipts = Promise.all([first.wait(), provider.waitForTransaction(second.hash), first.wait(2)]);
    const { slot, hash } = await blocks.add(first.hash, second.hash);
    const [one, two] = await blocks.during(receipts);
    const expected = { blockNumber: slot, blockHash: `0x${hash}`, from: alice.address, to: bob.address };
    expect(one).toMatchObject({ ...expected, hash: first.hash, gasUsed: 0n });
    // ethers has no other word for a status that nobody knows.
    expect([one?.status, one?.logs]).toEqual([undefined, []]);
    expect(two).toMatchObject({ ...expected, hash: second.hash });
    await expect.poll(() => seen).toEqual([first.hash, second.hash]);

    // A final one is found, too.
    for (let i = 0; i < 3; i += 1) await blocks.add();
    expect((await running.pool.status(first.hash)).stage).toBe('Finalized');
    expect(await provider.getTransactionReceipt(first.hash)).toMatchObject({ ...expected, hash: first.hash });
    expect(await provider.getTransaction(second.hash)).toMatchObject({ ...expected, nonce: 1 });
    const parent = await blocks.add();
    const tip = await blocks.add();
    expect(await provider.getBlock('latest')).toMatchObject({ number: tip.slot, parentHash: `0x${parent.hash}` });
  },
);

test('viem waits without an upstream, also for what replaces a transaction, until a fork undoes it', async () => {
  const { url, socketUrl, running } = await edge();
  const socket = createPublicClient({ chain: hardhat, transport: webSocket(socketUrl, { reconnect: false }) });
  const { close } = await socket.transport.getRpcClient();
  onTestFinished(() => close());
  const reader = createPublicClient({ chain: hardhat, transport: http(url), pollingInterval: 20, cacheTime: 0 });
  const wallet = createWalletClient({ chain: hardhat, account: alice, transport: http(url) });
  const blocks = new Blocks(running);
  await blocks.during(new Promise<void>((resolve) => onTestFinished(socket.watchBlocks({ onBlock: () => resolve() }))));

  const send = (fields: object): Promise<Hash> =>
    wallet.sendTransaction({ gas: 60_000n, ...fees, to: bob.address, ...fields });
  const first = await send({ value: 1n });
  const replaced: Hash[] = [];
  const waiting = reader.waitForTransactionReceipt({
    hash: first,
    onReplaced: ({ transactionReceipt }) => replaced.push(transactionReceipt.transactionHash),
  });
  // It knows the transaction before it looks for another one.
  await blocks.during(
    new Promise<void>((resolve) =>
      onTestFinished(reader.watchBlockNumber({ onBlockNumber: (_, before) => before !== undefined && resolve() })),
    ),
  );
  const creation = await send({ to: null, data: '0x00' });
  const rival = await send({ nonce: 0, maxFeePerGas: 6n * gwei, maxPriorityFeePerGas: 2n * gwei });
  const before = (await running.pool.tip()).point ?? 'origin';
  const { slot, hash } = await blocks.add(rival, creation);
  const created = socket.waitForTransactionReceipt({ hash: creation, confirmations: 2, pollingInterval: 20 });
  expect(await blocks.during(Promise.all([waiting, created]))).toMatchObject([
    { transactionHash: rival, status: null, blockNumber: BigInt(slot), blockHash: `0x${hash}`, logs: [] },
    { to: null, contractAddress: getContractAddress({ from: alice.address, nonce: 1n }).toLowerCase() },
  ]);
  expect(replaced).toEqual([rival]);
  expect((await reader.getBlock({ blockNumber: BigInt(slot) })).transactions.sort()).toEqual([rival, creation].sort());

  await running.pool.rollback(before);
  await expect(reader.getTransactionReceipt({ hash: rival })).rejects.toThrow('could not be found');
  expect(await reader.getBlockNumber()).toBe(BigInt(slot - 1));
  for (const [method, block] of [
    ['eth_getBlockByNumber', `0x${slot.toString(16)}`],
    ['eth_getBlockByHash', `0x${hash}`],
  ] as const)
    expect((await call(url, method, block, false)).result).toBe(null);
});
