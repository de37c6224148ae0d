import { fileURLToPath } from 'node:url';
import { type DevChain, startDevChain } from 'evm-chain';
import { createPublicClient, createWalletClient, type Hash, http, type PublicClient, webSocket } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EdgeWorld } from '../../../server/test/edges/edge-world.ts';

const program = fileURLToPath(new URL('ethereum-program.ts', import.meta.url));
const mnemonic = 'test test test test test test test test test test test junk';
/** A missing event is a failure, however long the wait. */
const wait = { timeout: 240_000, interval: 100 };
let chain: DevChain;

beforeAll(async () => {
  chain = await startDevChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

/** An account that the development chain gives money to. Each test has its own. */
function richAccount(number: number): ReturnType<typeof mnemonicToAccount> {
  return mnemonicToAccount(mnemonic, { addressIndex: number });
}

function reader(url: string | undefined): PublicClient {
  return createPublicClient({ chain: hardhat, transport: http(url), pollingInterval: 50 }) as PublicClient;
}

/** Makes blocks until one has the transaction, none after that one, and waits until `url` sees it. Returns the hash of that block. */
async function mined(url: string | undefined, hash: Hash): Promise<Hash> {
  const blockOf = (of: string | undefined): Promise<Hash | null> =>
    reader(of)
      .getTransactionReceipt({ hash })
      .then(
        ({ blockHash }) => blockHash,
        () => null,
      );
  let found: Hash | null = null;
  const look = async (): Promise<Hash | null> => {
    if ((await blockOf(chain.url)) === null) await chain.mine();
    found = await blockOf(url);
    return found;
  };
  await expect.poll(look, wait).not.toBeNull();
  return found as unknown as Hash;
}

test.for([
  ['ephemeral', 0],
  ['sqlite', 1],
  ['redis', 2],
] as const)('viem submits, waits, reads and watches through forks and kills: %s', async ([backend, number]) => {
  const account = richAccount(number);
  const world = await EdgeWorld.open(backend, {
    program,
    mempool: { ordering: 'priority' },
    edges: { ethereum: { chain_id: hardhat.id, upstream: chain.url } },
  });
  const last = world.servers.length - 1;
  const urlOf = (i: number): string => world.servers[i]?.edges.ethereum ?? '';
  const wallet = (i: number) => createWalletClient({ chain: hardhat, account, transport: http(urlOf(i)) });
  const statusOf = async (hash: Hash): Promise<unknown> =>
    ((await (await fetch(`${world.servers[last]?.url}/api/v1/transactions/${hash}`)).json()) as { stage: unknown })
      .stage;
  const stage = (hash: Hash) => expect.poll(() => statusOf(hash), wait);

  // Another server tells of what is submitted to the first one.
  const socket = createPublicClient({
    chain: hardhat,
    transport: webSocket(urlOf(last).replace('http', 'ws'), { reconnect: false }),
  });
  const { close } = await socket.transport.getRpcClient();
  onTestFinished(() => close());
  const watched: Hash[] = [];
  const { unsubscribe } = await socket.transport.subscribe({
    params: ['newPendingTransactions'],
    onData: ({ result }) => watched.push(result),
  });
  const transfer = { to: richAccount(9).address, value: 1n };
  const first = await wallet(0).sendTransaction(transfer);
  const second = await wallet(0).sendTransaction(transfer);
  await expect.poll(() => watched, wait).toEqual([first, second]);
  await unsubscribe();
  expect(await reader(urlOf(last)).getTransactionCount({ address: account.address, blockTag: 'pending' })).toBe(2);
  expect(await reader(urlOf(last)).getTransaction({ hash: second })).toMatchObject({ hash: second, nonce: 1 });

  // They are mined and confirmed; then the chain loses those blocks, and the pool brings them back.
  await stage(second).toBe('Acknowledged');
  const snapshot = await chain.call('evm_snapshot');
  const before = await mined(urlOf(last), second);
  await stage(second).toBe('Confirmed');
  expect(await chain.call('evm_revert', snapshot)).toBe(true);
  // A block of another time has another hash.
  await chain.call('evm_increaseTime', 100);
  const after = await mined(urlOf(last), second);
  expect(after).not.toBe(before);
  await stage(second).toBe('Confirmed');

  // The leader dies, and comes back; the other one goes on, or it itself.
  const killed = await world.killLeader();
  await world.start(killed);
  const third = await wallet(last).sendTransaction(transfer);
  const receipt = reader(urlOf(0)).waitForTransactionReceipt({ hash: third, timeout: wait.timeout });
  await mined(urlOf(killed), third);
  expect((await receipt).status).toBe('success');
  await stage(third).toBe('Confirmed');

  // A used nonce, a known transaction, and nothing that is left behind.
  const used = await account.signTransaction({
    ...transfer,
    chainId: hardhat.id,
    nonce: 0,
    gas: 21_000n,
    gasPrice: 10n ** 10n,
  });
  await expect(wallet(0).sendRawTransaction({ serializedTransaction: used })).rejects.toThrow('nonce too low');
  expect(await reader(urlOf(0)).getTransactionCount({ address: account.address, blockTag: 'pending' })).toBe(3);
  for (let i = 0; i < 4; i += 1) await chain.mine();
  await stage(third).toBe('Finalized');
  expect(await (await fetch(`${world.servers[0]?.url}/api/v1/usage`)).json()).toMatchObject({
    pending: 0,
    confirmed: 0,
  });
});
