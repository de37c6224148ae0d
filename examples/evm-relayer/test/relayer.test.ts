import { readFileSync } from 'node:fs';
import { type RecordedBlock, RecordedNode } from 'evm-chain';
import { type Hex, keccak256 } from 'viem';
import { expect, onTestFinished, test } from 'vitest';
import { readSigned } from '../src/signed-transaction.ts';
import { senders, signed, startRelayer } from './cast.ts';

interface Recorded {
  readonly raws: readonly [Hex, Hex, Hex];
  readonly main: readonly RecordedBlock[];
  readonly fork: readonly RecordedBlock[];
}
const { raws, main, fork }: Recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8'));
const wait = { timeout: 20_000, interval: 20 };
const finalityBlocks = 3;

async function open() {
  const node = new RecordedNode((raw) => keccak256(raw as Hex));
  onTestFinished(() => node[Symbol.asyncDispose]());
  node.blocks = main.slice(0, 2);
  const relayer = await startRelayer(await node.listen(), finalityBlocks);
  const stages = () => Promise.all(raws.map((raw) => relayer.stage(keccak256(raw))));
  const all = (...stage: readonly string[]) =>
    expect.poll(stages, wait).toEqual(raws.map((_, i) => stage[i] ?? stage[0]));
  return { node, relayer, all };
}

test('transactions go out in the order of nonces, and again when their blocks are undone, until they are final', async () => {
  const { node, relayer, all } = await open();
  const [first, second, third] = raws;
  expect(await relayer.submit(third)).toBe('parked');
  expect(await relayer.submit(second)).toBe('parked');
  expect(await relayer.submit(first)).toBe('received');
  await all('Acknowledged');
  expect(node.sent).toEqual(raws);
  node.blocks = main;
  node.forget();
  await all('Confirmed');

  // The other branch has no block with them yet, and the node has lost them.
  node.blocks = fork.slice(0, 5);
  await expect.poll(() => node.sent, wait).toEqual([...raws, ...raws]);
  await all('Acknowledged');
  node.blocks = fork.slice(0, 6);
  await all('Confirmed');
  node.blocks = fork;
  await all('Finalized');
  expect(node.sent).toEqual([...raws, ...raws]);
});

test('what the node has forgotten is sent again, also by the next process', async () => {
  const { node, relayer, all } = await open();
  const [first] = raws;
  await relayer.submit(first);
  await all('Acknowledged', 'Unknown', 'Unknown');
  node.forget();
  // It is asked after a block without it.
  node.blocks = fork.slice(0, 3);
  await expect.poll(() => node.sent, wait).toEqual([first, first]);
  await all('Acknowledged', 'Unknown', 'Unknown');
  await relayer.kill();
  node.forget();
  node.blocks = fork.slice(0, 4);
  await relayer.start();
  await expect.poll(() => node.sent, wait).toEqual([first, first, first]);
  expect(await relayer.submit(first)).toBe('duplicate');
  expect(await relayer.kill('SIGTERM')).toBe(0);
});

test('what the node refuses again and again is dropped, and what it has already is not', async () => {
  const { node, relayer, all } = await open();
  const [first, second] = raws;
  node.refusal = 'insufficient funds';
  await relayer.submit(first);
  await all('Dropped', 'Unknown', 'Unknown');
  expect(node.sent).toEqual([first, first, first]);
  node.refusal = 'already known';
  await relayer.submit(first);
  await relayer.submit(second);
  await expect.poll(() => node.sent.filter((raw) => raw === second), wait).not.toEqual([]);
  expect(await relayer.stage(keccak256(first))).not.toBe('Dropped');
});

test('what the chain cannot take is refused with the reason', async () => {
  const { node, relayer } = await open();
  node.blocks = main;
  const [raw] = raws;
  const [sender] = senders;
  const refusals = {
    [raw]: 'is used',
    [await signed(sender, 9, 1)]: 'for chain 1',
    [`${raw}00`]: 'no signed transaction',
    [raw.slice(0, -64)]: 'no signed transaction',
    '0x02': 'no signed transaction',
    '0x': 'no signed transaction',
  };
  for (const [given, reason] of Object.entries(refusals)) expect(await relayer.submit(given)).toContain(reason);
  expect(await relayer.stage('no hash')).toBeUndefined();
  expect(node.sent).toEqual([]);
});

test('a transaction of each kind is read as its sender signed it', async () => {
  const [sender] = senders;
  const from = sender.address.toLowerCase();
  const fields = { chainId: 5, nonce: 7, gas: 30_000n, to: sender.address } as const;
  const fees = { maxFeePerGas: 9n, maxPriorityFeePerGas: 4n } as const;
  const given = [
    await sender.signTransaction({ ...fields, type: 'legacy', gasPrice: 3n }),
    await sender.signTransaction({ ...fields, type: 'eip2930', gasPrice: 3n }),
    await sender.signTransaction({ ...fields, type: 'eip1559', ...fees }),
  ];
  const read = given.map((raw) => readSigned(Buffer.from(raw.slice(2), 'hex'), 5));
  const signedBy = { from, nonce: 7, gas: 30_000 };
  expect(await Promise.all(read)).toEqual([3n, 3n, 4n].map((priority) => ({ ...signedBy, priority })));
});

test('the program has at most 60 lines', () => {
  const lines = readFileSync(new URL('../src/main.ts', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(60);
});
