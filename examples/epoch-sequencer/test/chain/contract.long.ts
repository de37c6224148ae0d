import { type DevChain, startDevChain } from 'evm-chain';
import { agreementDigest } from 'mempool-sequencer';
import { abi, type Deployed, EpochContract, releaseEpoch } from 'mempool-sequencer/evm';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployContract } from '../../src/chain/deploy-contract.ts';
import { keyOf, validators } from './cast.ts';
import { ownerKey, turnTo } from './scene.ts';

const all = validators(4);
const names = all.map(({ address }) => address);
const root = 'ab'.repeat(32);
let chain: DevChain;
let deployed: Deployed;
let contract: EpochContract;
let last = 0;

beforeAll(async () => {
  chain = await startDevChain();
  deployed = await deployContract(chain, { owner: ownerKey, name: 'protocol:market', turnSeconds: 1_000 });
  contract = new EpochContract(deployed);
});
afterAll(() => chain[Symbol.asyncDispose]());

async function released(): Promise<number> {
  const epoch = ++last;
  await releaseEpoch(deployed, ownerKey, { epoch, closesAt: 1_000 + epoch, validators: names });
  await chain.mine();
  return epoch;
}

/** The signatures of these validators, of the root or of something else. */
function signatures(epoch: number, who: readonly number[], of: object = {}): string[] {
  const digest = agreementDigest({ domain: deployed.domain, epoch, root, ...of });
  return who.map((i) => all[i]?.sign(digest) ?? '');
}

test('the domain is what the contract computes, and events tell what was released', async () => {
  const read = await contract.client.readContract({
    address: deployed.address,
    abi,
    functionName: 'domain',
  });
  expect(read).toBe(`0x${deployed.domain}`);
  const epoch = await released();
  const told = (await contract.events(0, 1_000_000)).filter((each) => each.epoch === epoch);
  expect(told).toMatchObject([{ kind: 'released', epoch, closesAt: 1_000 + epoch, validators: names }]);
  expect(await contract.rootOf(epoch)).toBeNull();
});

test('an epoch is released once, by the owner, with validators in order', async () => {
  const epoch = await released();
  const { timestamp } = await contract.client.getBlock();
  // Of the pending block, which is a second later at least.
  const latest = (timestamp + 30n * 86_400n) * 1_000n;
  const attempts: readonly (readonly [string, Hex, number, readonly string[], bigint?])[] = [
    ['AlreadyReleased', ownerKey, epoch, names],
    ['NotOwner', keyOf(1_001), 500, names],
    ['BadWindow', ownerKey, 500, names, latest + 3_600_000n],
    ['BadWindow', ownerKey, 500, names, BigInt(Date.now()) * 1_000_000n],
    ['BadValidators', ownerKey, 501, []],
    ['BadValidators', ownerKey, 502, [names[0] ?? '', names[0] ?? '']],
  ];
  for (const [error, key, number, given, closesAt = latest] of attempts) {
    const release = contract.client.simulateContract({
      address: deployed.address,
      abi,
      functionName: 'release',
      args: [BigInt(number), closesAt, given as Hex[]],
      account: privateKeyToAccount(key),
    });
    await expect(release).rejects.toMatchObject({ cause: { data: { errorName: error } } });
  }
});

const refusals: Readonly<Record<string, readonly [string, (epoch: number) => string[]]>> = {
  'two of four': ['NoQuorum', (epoch) => signatures(epoch, [0, 1])],
  none: ['NoQuorum', () => []],
  'a repeated signer': ['BadSignature', (epoch) => signatures(epoch, [0, 1, 1])],
  'signers out of order': ['BadSignature', (epoch) => signatures(epoch, [1, 0, 2])],
  'a forged signature': ['BadSignature', (epoch) => [...signatures(epoch, [0, 1]), `0x${'11'.repeat(65)}`]],
  'a signature that is too short': ['BadSignature', (epoch) => [...signatures(epoch, [0, 1]), '0x11']],
  'signatures of another root': ['BadSignature', (epoch) => signatures(epoch, [0, 1, 2], { root: 'cd'.repeat(32) })],
  'signatures of another epoch': ['BadSignature', (epoch) => signatures(epoch + 1, [0, 1, 2])],
  'signatures for another contract': [
    'BadSignature',
    (epoch) => signatures(epoch, [0, 1, 2], { domain: '00'.repeat(32) }),
  ],
};

test.each(Object.entries(refusals))('a root is refused with %s', async (_, [error, given]) => {
  const epoch = await released();
  const turn = await turnTo(chain, contract, epoch);
  expect(await contract.wouldRevert({ epoch, root, signatures: given(epoch) }, turn)).toBe(error);
});

test('a root is taken from the validator whose turn it is, with a quorum, once', async () => {
  const epoch = await released();
  const right = { epoch, root, signatures: signatures(epoch, [0, 2, 3]) };
  expect(await contract.wouldRevert({ ...right, epoch: 999 }, names[0] ?? '')).toBe('UnknownEpoch');
  for (const turn of [...names, ...names]) {
    await turnTo(chain, contract, epoch, turn);
    for (const name of names)
      expect(await contract.wouldRevert(right, name)).toBe(name === turn ? null : 'NotYourTurn');
  }
  const [first] = all;
  if (first === undefined) throw new Error('no validator');
  await turnTo(chain, contract, epoch, first.address);
  await chain.call('hardhat_setBalance', first.address, '0xde0b6b3a7640000');
  await chain.call('hardhat_impersonateAccount', first.address);
  await chain.call('eth_sendTransaction', {
    from: first.address,
    to: deployed.address,
    data: contract.submitData(right),
    gas: '0x50000',
  });
  await chain.mine();
  expect(await contract.rootOf(epoch)).toBe(root);
  const told = (await contract.events(0, 1_000_000)).filter((each) => each.epoch === epoch);
  expect(told.at(-1)).toMatchObject({ kind: 'agreed', epoch, root });
  await turnTo(chain, contract, epoch, first.address);
  expect(await contract.wouldRevert(right, first.address)).toBe('AlreadyAgreed');
});
