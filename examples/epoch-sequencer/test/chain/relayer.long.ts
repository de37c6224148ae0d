import { type DevChain, startDevChain } from 'evm-chain';
import type { PriorityMempool } from 'mempool-core';
import type { FollowingNode } from 'mempool-node';
import {
  type Deployed,
  EpochContract,
  EpochRelayer,
  openRelayPool,
  RelayRecords,
  releaseEpoch,
} from 'mempool-sequencer/evm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployContract } from '../../src/chain/deploy-contract.ts';
import { type Validator, validators } from './cast.ts';
import { certified, minedBy, ownerKey, type SentTransaction, turnTo } from './scene.ts';
import { startTappedNode } from './tapped-node.ts';

const finalityBlocks = 3;
const bumpAfterBlocks = 3;
/** A missing event is a failure, however long the wait. */
const wait = { timeout: 240_000, interval: 50 };

let chain: DevChain;
let deployed: Deployed;
let contract: EpochContract;
const running: (() => Promise<void>)[] = [];

beforeEach(async () => {
  chain = await startDevChain();
  deployed = await deployContract(chain, { owner: ownerKey, name: 'protocol:market', turnSeconds: 1_000 });
  contract = new EpochContract(deployed);
});
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
  await chain[Symbol.asyncDispose]();
});

/** A validator's relayer, and the epochs that it is to relay. It may have another node of the chain. */
async function relayer(
  validator: Validator,
  { url = chain.url, ...limits }: { readonly maxFinalized?: number; readonly url?: string } = {},
) {
  await chain.call('hardhat_setBalance', validator.address, '0xffffffffffffffffffffff');
  const epochs = certified(deployed);
  const own = { ...deployed, url };
  const relay = await openRelayPool({ backend: 'ephemeral', ...limits }, own, { finalityBlocks, pollMs: 20 });
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const relayer = new EpochRelayer({
    contract: own,
    privateKey: validator.key,
    relay,
    epochs,
    finalityBlocks,
    bumpAfterBlocks,
    pollMs: 20,
    report: (error) => errors.push(error),
  });
  const ended = relayer.run(stopping);
  running.push(async () => {
    stopping.abort();
    await ended;
    await relay.close();
  });
  const records = new RelayRecords(relay.pool);
  /** Waits until the transaction that is now planned for this nonce is with the node. */
  const sent = (nonce: number) => expect.poll(() => sentOf(relay, records), wait).toContain(nonce);
  const mined = (): Promise<SentTransaction[]> => minedBy(contract, validator.address);
  return { relay, records, epochs, sent, mined, errors, address: validator.address };
}

async function sentOf({ pool }: FollowingNode<PriorityMempool>, records: RelayRecords): Promise<number[]> {
  const nonces: number[] = [];
  for (const { nonce, hash } of await records.plans())
    if (['Acknowledged', 'Confirmed'].includes((await pool.status(hash)).stage)) nonces.push(nonce);
  return nonces;
}

async function release(epoch: number, all: readonly Validator[]): Promise<void> {
  await releaseEpoch(deployed, ownerKey, { epoch, closesAt: 1, validators: all.map(({ address }) => address) });
  await chain.mine();
}

/** Waits until the node has this transaction. */
const known = (hash: string) => expect.poll(() => chain.call('eth_getTransactionByHash', hash), wait).not.toBeNull();

const pair = (): [Validator, Validator] => validators(2) as [Validator, Validator];
const [alone] = validators(1) as [Validator];

test('each epoch is submitted once, in the order of nonces, and again as it was when the chain went back', async () => {
  const { epochs, sent, mined, relay } = await relayer(alone);
  for (const epoch of [1, 2, 3]) await release(epoch, [alone]);
  const back = await chain.snapshot();
  for (const epoch of [1, 2, 3]) epochs.add(epoch, [alone]);
  await sent(2);
  await chain.mine();
  const first = await mined();
  expect(first.map(({ nonce, isRight }) => [nonce, isRight])).toEqual([
    [0, true],
    [1, true],
    [2, true],
  ]);
  await expect.poll(async () => (await relay.pool.usage()).confirmed, wait).toBe(3);
  await back();
  await chain.call('evm_increaseTime', 10);
  // The node has lost them, too.
  await chain.mine();
  expect(await mined()).toEqual([]);
  for (const { hash } of first) await known(hash);
  await chain.mine();
  expect(await mined()).toEqual(first);
  for (let i = 0; i < finalityBlocks; i += 1) await chain.mine();
  await expect.poll(async () => (await relay.pool.usage()).confirmed, wait).toBe(0);
  for (const epoch of [1, 2, 3]) expect(await contract.rootOf(epoch)).toBe(epochs.rootOf(epoch));
});

test("a submission that comes in another's turn reverts, and is sent anew in the next turn", async () => {
  const [first, second] = pair();
  const { epochs, sent, mined, errors } = await relayer(first);
  await release(1, [first, second]);
  await turnTo(chain, contract, 1, first.address);
  epochs.add(1, [first, second]);
  await sent(0);
  await turnTo(chain, contract, 1, second.address);
  await chain.mine();
  expect(await mined()).toMatchObject([{ nonce: 0, isRight: false }]);
  // It waits for its turn.
  for (let i = 0; i < 5; i += 1) await chain.mine();
  await turnTo(chain, contract, 1, first.address);
  await chain.mine();
  await sent(1);
  await chain.mine();
  expect(await mined()).toMatchObject([
    { nonce: 0, isRight: false },
    { nonce: 1, isRight: true },
  ]);
  expect(await contract.rootOf(1)).toBe(epochs.rootOf(1));
  expect(errors).toEqual([]);
});

test('a batch that another validator has submitted meanwhile keeps no later nonce from going on', async () => {
  const [first, second] = pair();
  const one = await relayer(first);
  const two = await relayer(second);
  await release(1, [first, second]);
  await turnTo(chain, contract, 1, first.address);
  one.epochs.add(1, [first, second]);
  await one.sent(0);
  // Its transaction stays with the node, while the other one takes its turn.
  const kept = `0x${(await one.records.plans())[0]?.hash}`;
  await chain.call('hardhat_dropTransaction', kept);
  await turnTo(chain, contract, 1, second.address);
  two.epochs.add(1, [first, second]);
  await two.sent(0);
  await chain.mine();
  await known(kept);
  await chain.mine();
  expect(await one.mined()).toMatchObject([{ nonce: 0, isRight: false }]);
  expect(await two.mined()).toMatchObject([{ nonce: 0, isRight: true }]);
  one.epochs.end(1);
  await release(2, [first, second]);
  await turnTo(chain, contract, 2, first.address);
  one.epochs.add(2, [first, second]);
  await expect
    .poll(async () => {
      await chain.mine();
      return contract.rootOf(2);
    }, wait)
    .toBe(one.epochs.rootOf(2));
  expect((await one.mined()).map(({ nonce, isRight }) => [nonce, isRight])).toEqual([
    [0, false],
    [1, true],
  ]);
});

/** Blocks that are too dear for what was sent before. */
async function dearBlock(baseFee: bigint): Promise<void> {
  await chain.call('hardhat_setNextBlockBaseFeePerGas', `0x${baseFee.toString(16)}`);
  await chain.mine();
}

const dear = 10n ** 13n;

test('what is stuck is replaced by one with the same nonce that pays at least an eighth more, and the next ones follow', async () => {
  const { epochs, sent, mined, records } = await relayer(alone);
  for (const epoch of [1, 2]) await release(epoch, [alone]);
  epochs.add(1, [alone]);
  await sent(0);
  const [before] = await records.plans();
  for (let i = 0; i < bumpAfterBlocks; i += 1) await dearBlock(dear);
  await expect.poll(async () => (await records.plans())[0]?.hash, wait).not.toBe(before?.hash);
  epochs.add(2, [alone]);
  await sent(0);
  await sent(1);
  const [after] = await records.plans();
  for (const fee of ['tip', 'cap'] as const)
    expect(BigInt(after?.[fee] ?? 0) * 1_000n).toBeGreaterThanOrEqual(BigInt(before?.[fee] ?? 0) * 1_125n);
  expect(after).toMatchObject({ nonce: 0, epoch: 1, data: before?.data });
  await expect
    .poll(async () => {
      await dearBlock(dear);
      return (await mined()).map(({ nonce, isRight }) => [nonce, isRight]);
    }, wait)
    .toEqual([
      [0, true],
      [1, true],
    ]);
});

test('what is stuck for an epoch that has its root by now is replaced by a transaction that does nothing', async () => {
  const [first, second] = pair();
  const { epochs, sent, mined, records } = await relayer(first);
  await release(1, [first, second]);
  await turnTo(chain, contract, 1, first.address);
  epochs.add(1, [first, second]);
  await sent(0);
  await turnTo(chain, contract, 1, second.address);
  // The other validator, which pays anything.
  await chain.call('hardhat_impersonateAccount', second.address);
  await chain.call('hardhat_setBalance', second.address, '0xffffffffffffffffffffff');
  const { root, signatures } = (await epochs.certificate(1)) ?? { root: '', signatures: [] };
  const data = contract.submitData({ epoch: 1, root, signatures: signatures.map(({ signature }) => signature) });
  const fee = `0x${(4n * dear).toString(16)}`;
  await chain.call('eth_sendTransaction', {
    from: second.address,
    to: deployed.address,
    data,
    gas: '0x50000',
    maxFeePerGas: fee,
    maxPriorityFeePerGas: '0x1',
  });
  for (let i = 0; i < bumpAfterBlocks; i += 1) await dearBlock(dear);
  expect(await contract.rootOf(1)).toBe(root);
  await expect.poll(async () => (await records.plans())[0]?.epoch, wait).toBeNull();
  await sent(0);
  await dearBlock(dear);
  expect(await mined()).toMatchObject([{ nonce: 0, isRight: true, to: first.address, data: '0x' }]);
});

test('what a block takes while it is looked at as stuck keeps its meaning, also when that block is undone', async () => {
  const node = await startTappedNode(chain.url);
  const { epochs, sent, mined, records } = await relayer(alone, { url: node.url });
  await release(1, [alone]);
  epochs.add(1, [alone]);
  await sent(0);
  const [before] = await records.plans();
  // The block comes between the look at the nonce and the one at the root.
  const looked = Promise.withResolvers<() => Promise<void>>();
  let isAwaited = true;
  node.around = async ({ method, params }, forward) => {
    const isOfRoot = isAwaited && method === 'eth_call' && params[1] !== 'pending';
    if (!isOfRoot) return forward();
    isAwaited = false;
    const back = await chain.snapshot();
    await dearBlock(1n);
    await forward();
    looked.resolve(back);
  };
  for (let i = 0; i < bumpAfterBlocks; i += 1) await dearBlock(dear);
  const back = await looked.promise;
  expect(await mined()).toMatchObject([{ nonce: 0, hash: `0x${before?.hash}` }]);
  await back();
  await chain.call('evm_increaseTime', 10);
  for (let i = 0; i < 2; i += 1) await dearBlock(dear);
  await expect.poll(async () => (await records.plans())[0]?.hash, wait).not.toBe(before?.hash);
  await sent(0);
  await expect
    .poll(async () => {
      await dearBlock(dear);
      return contract.rootOf(1);
    }, wait)
    .toBe(epochs.rootOf(1));
  expect(await mined()).toMatchObject([{ nonce: 0, isRight: true, data: before?.data }]);
});

test('what is undone and comes back while the relayer looks is not planned anew', async () => {
  const node = await startTappedNode(chain.url);
  const { epochs, sent, mined, records, relay } = await relayer(alone, { url: node.url });
  await release(1, [alone]);
  const back = await chain.snapshot();
  epochs.add(1, [alone]);
  await sent(0);
  const [plan] = await records.plans();
  const [found] = await relay.pool.payloads([plan?.hash ?? '']);
  const payload = found !== null && found !== undefined && 'payload' in found ? found.payload : new Uint8Array();
  const rounds = Promise.withResolvers<void>();
  let isOver = false;
  node.around = async ({ method, params }, forward) => {
    if (isOver && method === 'eth_getBlockByNumber' && params[0] === 'latest') rounds.resolve();
    const isTrial = !isOver && method === 'eth_call' && params[1] === 'pending';
    if (!isTrial) return forward();
    isOver = true;
    await back();
    await chain.call('evm_increaseTime', 10);
    await forward();
    await chain.call('eth_sendRawTransaction', `0x${Buffer.from(payload).toString('hex')}`);
    await chain.mine();
  };
  await chain.mine();
  await rounds.promise;
  expect((await records.plans()).map(({ nonce, epoch }) => [nonce, epoch])).toEqual([[0, 1]]);
  expect(await mined()).toMatchObject([{ nonce: 0, isRight: true }]);
});

test('a root that the contract does not take is refused, and costs no nonce', async () => {
  const { epochs, records, mined } = await relayer(alone);
  await release(1, [alone]);
  epochs.add(1, validators(3).slice(1));
  await expect.poll(() => records.refusals(), wait).toEqual([{ epoch: 1, reason: 'BadSignature' }]);
  epochs.end(1);
  await expect.poll(() => records.refusals(), wait).toEqual([]);
  expect(await mined()).toEqual([]);
});

test('after a reorganisation deeper than what was final, what the pool has is sent again, and other nonces are filled', async () => {
  const { epochs, sent, mined, records, address } = await relayer(alone, { maxFinalized: 1 });
  const back = await chain.snapshot();
  for (const epoch of [1, 2]) {
    await release(epoch, [alone]);
    epochs.add(epoch, [alone]);
    await sent(epoch - 1);
    for (let i = 0; i < 2 * finalityBlocks; i += 1) await chain.mine();
    await expect.poll(() => records.plans(), wait).toEqual([]);
    epochs.end(epoch);
  }
  const [, second] = await mined();
  await release(3, [alone]);
  epochs.add(3, [alone]);
  await sent(2);
  await back();
  await chain.call('evm_increaseTime', 10);
  for (const epoch of [2, 3]) await release(epoch, [alone]);
  const minedAll = async (): Promise<SentTransaction[]> => {
    await chain.mine();
    return mined();
  };
  await expect.poll(minedAll, wait).toHaveLength(3);
  const nothing = { nonce: 0, to: address, data: '0x' };
  expect(await mined()).toMatchObject([nothing, second, { nonce: 2, isRight: true }]);
  expect(await contract.rootOf(3)).toBe(epochs.rootOf(3));
});
