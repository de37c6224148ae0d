import { concat, type Hex, keccak256, toHex } from 'viem';
import { expect, test } from 'vitest';
import { tokenOf } from '../../http/served.ts';
import { backends, call, edge, poolOf, refusal } from './rpc.ts';
import { accountOf, alice, bob, signed, signedLegacy } from './wallet.ts';

const gwei = 10n ** 9n;
const tipOf = (tip: bigint) => ({ maxFeePerGas: 9n * gwei, maxPriorityFeePerGas: tip });
const bare = (hash: unknown): string => String(hash).slice(2);

/** Two of one account and one of another, with their hash as a bundle. */
async function three(): Promise<{ readonly txs: Hex[]; readonly hashes: string[]; readonly bundleHash: Hex }> {
  const txs = await Promise.all([
    signed({ nonce: 0, ...tipOf(4n) }),
    signedLegacy({ nonce: 0, gasPrice: 1n }, bob),
    signed({ nonce: 1, ...tipOf(1n) }),
  ]);
  const hashes = txs.map((raw) => keccak256(raw));
  return { txs, hashes: hashes.map(bare), bundleHash: keccak256(concat(hashes)) };
}

test.for(backends)('a bundle is received, reaped and dropped as a whole on %s', async (backend) => {
  const { url, running } = await edge(await poolOf(backend));
  const { pool } = running;
  const { txs, hashes, bundleHash } = await three();
  const alone = await signed({ nonce: 0, ...tipOf(3n) }, accountOf(7));
  await call(url, 'eth_sendRawTransaction', alone);
  expect(await call(url, 'eth_sendBundle', { txs })).toMatchObject({ result: { bundleHash } });
  const reaped = async (maxTxs: number): Promise<string[]> => (await pool.reap({ maxTxs })).map(({ hash }) => hash);
  expect(await reaped(3)).toEqual([bare(keccak256(alone))]);
  expect(await reaped(4)).toEqual([bare(keccak256(alone)), ...hashes]);
  expect((await call(url, 'eth_getTransactionCount', alice.address, 'pending')).result).toBe('0x2');
  expect((await call(url, 'eth_getTransactionByHash', `0x${hashes[1]}`)).result).toMatchObject({ nonce: '0x0' });
  expect(await refusal(url, 'eth_sendBundle', { txs })).toBe('txs[0]: already known');
  const rival = await signed({ nonce: 1, ...tipOf(2n * gwei) });
  expect(await refusal(url, 'eth_sendRawTransaction', rival)).toMatch(/^replacement transaction underpriced/);
  expect(await refusal(url, 'eth_sendBundle', { txs: [await signed({ nonce: 0 }, accountOf(8)), rival] })).toBe(
    `txs[1]: nonce 1 is used by 0x${hashes[2]}, which a bundle does not replace`,
  );
  await pool.drop(hashes[1] as string, 'failed');
  expect(await reaped(9)).toEqual([bare(keccak256(alone))]);
});

test('of a bundle that is refused nothing is received, and the answer names the transaction', async () => {
  const { url, running } = await edge({ backend: 'ephemeral', ordering: 'priority', max_per_sender: 2 });
  const first = await signed({ nonce: 0 });
  const ahead = Math.floor(Date.now() / 1_000) + 3_600;
  const table: readonly (readonly [params: unknown, code: number, message: RegExp])[] = [
    [undefined, -32602, /^invalid argument 0/],
    [{}, -32602, /^txs must be a list/],
    [{ txs: [] }, -32602, /^txs must be a list/],
    [{ txs: new Array(101).fill(first) }, -32602, /^txs must be a list/],
    [{ txs: [first, 7] }, -32602, /^txs\[1\]: /],
    [{ txs: [first, '0x02'] }, -32000, /^txs\[1\]: invalid transaction/],
    [{ txs: [first, await signed({ nonce: 1, gas: 20_999n })] }, -32000, /^txs\[1\]: intrinsic gas too low/],
    [{ txs: [first, await signed({ nonce: 2 })] }, -32000, /^the bundle is not ready/],
    [{ txs: [await signed({ nonce: 1 }), first] }, -32000, /^txs\[0\]: the transaction depends on itself/],
    [{ txs: [first, await signed({ nonce: 0, value: 2n })] }, -32000, /^txs\[1\]: nonce 0 is used by 0x/],
    [{ txs: [first, first] }, -32602, /^transactions /],
    [
      { txs: [first, await signed({ nonce: 1 }), await signed({ nonce: 2 })] },
      -32000,
      /^txs\[2\]: account limit exceeded/,
    ],
    [{ txs: [first], blockNumber: 1 }, -32602, /must be a string/],
    [{ txs: [first], blockNumber: 'latest' }, -32602, /^blockNumber must be/],
    [{ txs: [first], blockNumber: '0x1' }, -32000, /^blockNumber is not supported: .* no block/],
    [{ txs: [first], maxTimestamp: '1' }, -32602, /^maxTimestamp must be/],
    [{ txs: [first], maxTimestamp: 1 }, -32000, /^maxTimestamp is over/],
    [{ txs: [first], minTimestamp: ahead }, -32000, /^minTimestamp is not supported/],
    [{ txs: [first], revertingTxHashes: [keccak256(first)] }, -32000, /^revertingTxHashes is not supported/],
    [{ txs: [first], replacementUuid: 'a' }, -32000, /^replacementUuid is not supported/],
  ];
  for (const [params, code, message] of table) {
    const { error } = await call(url, 'eth_sendBundle', ...(params === undefined ? [] : [params]));
    expect([params, error?.code, error?.message]).toEqual([params, code, expect.stringMatching(message)]);
  }
  expect(await running.pool.usage()).toMatchObject({ pending: 0, lastSeq: 0 });
  const empty = { revertingTxHashes: [], minTimestamp: 1, maxTimestamp: 0, blockNumber: null };
  expect((await call(url, 'eth_sendBundle', { txs: [first], ...empty })).error).toBe(undefined);
});

test('a bundle leaves after its maxTimestamp, and after the block that it is for', async () => {
  const { url, running } = await edge();
  const { pool } = running;
  const block = (slot: number) => ({
    point: { slot, hash: String(slot).padStart(64, '0') },
    seen: [],
    unseen: [],
  });
  await pool.confirm(block(20));
  const stages = async (txs: readonly Hex[]): Promise<string[]> => {
    const all = await pool.checkStatus(txs.map((raw) => bare(keccak256(raw))));
    return all.map(({ stage, reason }) => (reason === null ? stage : String(reason)));
  };
  const timed = [await signed({ nonce: 0 }), await signed({ nonce: 1 })];
  const maxTimestamp = Math.floor(Date.now() / 1_000) + 3_600;
  expect((await call(url, 'eth_sendBundle', { txs: timed, maxTimestamp })).error).toBe(undefined);
  const next = [await signed({ nonce: 0 }, bob), await signed({ nonce: 1 }, bob)];
  for (const blockNumber of [toHex(20), toHex(22)])
    expect(await refusal(url, 'eth_sendBundle', { txs: next, blockNumber })).toMatch(/must be 0x15, the next block$/);
  expect((await call(url, 'eth_sendBundle', { txs: next, blockNumber: toHex(21) })).error).toBe(undefined);
  await pool.sweep();
  expect(await stages([...timed, ...next])).toEqual(['Pending', 'Pending', 'Pending', 'Pending']);
  await pool.confirm(block(21));
  await pool.sweep();
  expect(await stages([...timed, ...next])).toEqual(['Pending', 'Pending', 'expired', 'expired']);
  const entries = (await pool.store.dump()).entries as readonly { readonly expiresAt?: number | null }[];
  expect(entries.filter(({ expiresAt }) => expiresAt === maxTimestamp * 1_000).length).toBe(2);
});

test('a bundle needs the scope submit, and each of its transactions counts against the rate', async () => {
  const secret = 'mp_only_for_reading';
  const reader = await edge(undefined, {}, { tokens: [tokenOf('reader', ['read'], { text: secret })] });
  const { txs } = await three();
  expect((await call(`${reader.url}/${secret}`, 'eth_sendBundle', { txs })).error?.code).toBe(4100);
  const limited = await edge(undefined, {}, { ratePerSecond: 1 });
  expect((await call(limited.url, 'eth_sendBundle', { txs })).error).toBeUndefined();
  expect((await call(limited.url, 'eth_chainId')).error?.code).toBe(-32005);
});
