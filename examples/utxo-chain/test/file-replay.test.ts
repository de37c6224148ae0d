import { openChain, readChain } from 'cardano-chains';
import { expect, test } from 'vitest';
import { cardanoSpending } from '../src/cardano-transaction.ts';
import { type ChainBlock, FileReplay, type Tally } from '../src/file-replay.ts';
import { blocksOf, type Cbor, digest, encode, input, made, output } from './made-blocks.ts';

const old = (index: number): string => `${digest('old')}#${index}`;

async function replay(blocks: readonly ChainBlock[]): Promise<Tally> {
  return FileReplay.run(await readChain('made', () => blocks));
}

test('inputs, outputs and fee are read from the bytes', () => {
  const transaction = made('a', [old(0), old(7)], 170_000);
  const outputs = [`${transaction.hash}#0`, `${transaction.hash}#1`];
  expect(cardanoSpending(transaction)).toEqual({ inputs: [old(0), old(7)], outputs, fee: 170_000 });
});

test('a set of inputs that is marked as one is read like any other', () => {
  const marked = Buffer.concat([Uint8Array.of(0xd9, 0x01, 0x02), encode([input(old(3))])]);
  const rest = [Uint8Array.of(0x01), encode([output]), Uint8Array.of(0x02), encode(170_000)];
  const body = Buffer.concat([Uint8Array.of(0xa3, 0x00), marked, ...rest]);
  const payload = Buffer.concat([Uint8Array.of(0x84), body, encode(new Map()), encode(true), encode(null)]);
  expect(cardanoSpending({ hash: digest('a'), payload, payloadType: 7 }).inputs).toEqual([old(3)]);
});

test('one whose script failed spends its collateral, and makes what is returned of it', () => {
  const body = new Map<number, Cbor>([
    [0, [input(old(0))]],
    [1, [output, output]],
    [2, 170_000],
    [13, [input(old(5))]],
    [16, output],
    [17, 255_000],
  ]);
  const payload = encode([body, new Map(), false, null]);
  const hash = digest('failed');
  const spending = cardanoSpending({ hash, payload, payloadType: 6 });
  expect(spending).toEqual({ inputs: [old(5)], outputs: [`${hash}#2`], fee: 255_000 });
});

test('what is spent before it is made is parked, and ready behind its maker when its block comes', async () => {
  // The first of every four blocks is a surprise to the pool: `foreign` makes its child ready by the block alone.
  const foreign = made('foreign', [old(0)]);
  const child = made('child', [`${foreign.hash}#1`]);
  const grandchild = made('grandchild', [`${child.hash}#0`], 9_000);
  const late = made('late', [`${grandchild.hash}#0`, old(1)]);
  const tally = await replay(blocksOf([foreign], [child, grandchild], [late]));
  const told = { blocks: 3, transactions: 4, foreign: 1, parked: 3, refused: 0, outOfOrder: 0, left: 0 };
  expect(tally).toEqual(told);
});

test('a file that spends an output twice is noticed', async () => {
  // The second spend comes first and keeps the first one out, whose block then drops it.
  const tally = await replay(blocksOf([], [made('a', [old(0)])], [made('b', [old(0)])]));
  expect(tally).toMatchObject({ refused: 1, outOfOrder: 2 });
});

test('a whole made-up chain goes through the pool and leaves it empty', async () => {
  const chain = await openChain(null);
  const tally = await FileReplay.run(chain);
  const whole = { blocks: chain.points.length, transactions: chain.hashes.length };
  expect(tally).toMatchObject({ ...whole, refused: 0, outOfOrder: 0, left: 0 });
  expect(tally.foreign).toBeGreaterThan(0);
});
