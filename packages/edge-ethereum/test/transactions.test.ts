import {
  commitmentsToVersionedHashes,
  createPublicClient,
  fromRlp,
  type Hex,
  http,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
  toHex,
  toRlp,
} from 'viem';
import { hardhat } from 'viem/chains';
import { expect, test } from 'vitest';
import { call, edge, refusal } from './rpc.ts';
import { accountOf, alice, bob, chainId, signed, signedLegacy } from './wallet.ts';

const accessList = [{ address: bob.address, storageKeys: [toHex(1, { size: 32 })] }];
const commitment = toHex(7, { size: 48 });
const blobVersionedHashes = commitmentsToVersionedHashes({ commitments: [commitment] });
const blobs = { type: 'eip4844', blobVersionedHashes, maxFeePerBlobGas: 5n } as const;
const sidecars = [{ blob: toHex(3, { size: 131_072 }), commitment, proof: toHex(9, { size: 48 }) }];
const authorizationList = [await bob.signAuthorization({ chainId, nonce: 0, address: bob.address })];

/** A transaction with the blobs in the form of EIP-7594: a version, and a proof for each of the 128 cells of a blob. */
async function withCells({ version = '0x01', proofs = 128, of = commitment }: Partial<Cells> = {}): Promise<Hex> {
  const bare = fromRlp(`0x${(await signed({ nonce: 0, ...blobs })).slice(4)}`, 'hex');
  const proof = toHex(9, { size: 48 });
  const items = [bare, version, [toHex(3, { size: 131_072 })], [of], Array<Hex>(proofs).fill(proof)];
  return `0x03${toRlp(items as Parameters<typeof toRlp>[0], 'hex').slice(2)}`;
}

interface Cells {
  readonly version: Hex;
  readonly proofs: number;
  readonly of: Hex;
}

/** What a node answers for every transaction that is in no block. */
const always = [
  ...[
    'blockHash',
    'blockNumber',
    'transactionIndex',
    'hash',
    'from',
    'to',
    'gas',
    'gasPrice',
    'input',
    'nonce',
    'value',
  ],
  ...['type', 'chainId', 'v', 'r', 's'],
];
const typed = [...always, 'yParity', 'accessList'];
const withTip = [...typed, 'maxFeePerGas', 'maxPriorityFeePerGas'];

test.for([
  ['legacy', () => signedLegacy({ nonce: 0 }), always],
  ['eip2930', () => signedLegacy({ nonce: 0, type: 'eip2930', gas: 30_000n, accessList }), typed],
  ['eip1559', () => signed({ nonce: 0, to: undefined, data: '0x00ff', gas: 60_000n }), withTip],
  ['eip4844', () => signed({ nonce: 0, ...blobs }), [...withTip, 'maxFeePerBlobGas', 'blobVersionedHashes']],
  ['eip4844', () => signed({ nonce: 0, ...blobs, sidecars }), [...withTip, 'maxFeePerBlobGas', 'blobVersionedHashes']],
  ['eip4844', () => withCells(), [...withTip, 'maxFeePerBlobGas', 'blobVersionedHashes']],
  [
    'eip7702',
    () => signed({ nonce: 0, type: 'eip7702', gas: 50_000n, authorizationList }),
    [...withTip, 'authorizationList'],
  ],
] as const)('a transaction of the type %s is taken in and found', async ([type, sign, members]) => {
  const { url } = await edge();
  const raw = await sign();
  const { result: hash } = await call(url, 'eth_sendRawTransaction', raw);
  const {
    r,
    s,
    v,
    yParity,
    sidecars: _,
    ...unsigned
  } = parseTransaction(bareOf(raw)) as ReturnType<typeof parseTransaction> & {
    readonly sidecars?: unknown;
  };
  const bare = serializeTransaction(unsigned as TransactionSerializable, { r, s, v, yParity } as never);
  expect(hash).toBe(keccak256(bare));
  const { result } = await call(url, 'eth_getTransactionByHash', hash);
  expect(Object.keys(result as object).sort()).toEqual([...members].sort());
  expect(result).toMatchObject({ blockHash: null, blockNumber: null, transactionIndex: null, chainId: toHex(chainId) });
  const client = createPublicClient({ chain: hardhat, transport: http(url) });
  const found = await client.getTransaction({ hash: hash as Hex });
  expect(found).toMatchObject({ type, nonce: 0, from: alice.address.toLowerCase(), gas: unsigned.gas });
  // What a reader is given stands for the same bytes.
  const again = { ...found, data: found.input, type, to: found.to ?? undefined } as object;
  expect(keccak256(serializeTransaction(again as TransactionSerializable, found as never))).toBe(hash);
});

/** viem does not read the form of EIP-7594. */
function bareOf(raw: Hex): Hex {
  const items = raw.startsWith('0x03') ? fromRlp(`0x${raw.slice(4)}`, 'hex') : [];
  if (items.length !== 5) return raw;
  return `0x03${toRlp(items[0] as Parameters<typeof toRlp>[0], 'hex').slice(2)}`;
}

/** The other signature that the same account could give (EIP-2). */
function malleated(raw: Hex): Hex {
  const {
    r,
    s = '0x0',
    yParity,
    v: _,
    ...unsigned
  } = parseTransaction(raw as `0x02${string}`) as unknown as Record<string, never>;
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const flipped = { r, s: toHex(order - BigInt(s), { size: 32 }), yParity: 1 - Number(yParity) };
  return serializeTransaction(unsigned as TransactionSerializable, flipped as never);
}

const gwei = 10n ** 9n;

test('what no chain takes is refused in the words that clients know', async () => {
  const { url, running } = await edge();
  const table: readonly (readonly [Hex | Promise<Hex>, string | RegExp])[] = [
    ['0x', /^invalid transaction/],
    ['0x02', /^invalid transaction/],
    ['0x05c0', 'transaction type not supported'],
    ['0xc0', /^invalid transaction/],
    [signed({ nonce: 0, chainId: 1 }), `invalid sender: invalid chain id for signer: have 1 want ${chainId}`],
    [signedLegacy({ nonce: 0, chainId: undefined }), 'only replay-protected (EIP-155) transactions allowed over RPC'],
    [signed({ nonce: 0, gas: 20_999n }), 'intrinsic gas too low: gas 20999, minimum needed 21000'],
    [signed({ nonce: 0, data: '0x0001' }), 'intrinsic gas too low: gas 21000, minimum needed 21020'],
    [signed({ nonce: 0, to: undefined }), 'intrinsic gas too low: gas 21000, minimum needed 53000'],
    [signed({ nonce: 0, gas: 2n ** 63n }), 'exceeds block gas limit'],
    [signed({ nonce: 0, to: undefined, data: `0x${'00'.repeat(49_153)}` }), /^max initcode size exceeded/],
    [
      signed({ nonce: 0, ...blobs, blobVersionedHashes: [toHex(2, { size: 32 })] }).catch(() => '0x03c0' as Hex),
      /^invalid/,
    ],
    [
      signed({ nonce: 0, ...blobs, sidecars: [{ ...sidecars[0], commitment: toHex(8, { size: 48 }) }] }),
      /^blob sidecar/,
    ],
    [withCells({ of: toHex(8, { size: 48 }) }), /^blob sidecar/],
    [withCells({ proofs: 127 }), /^invalid transaction/],
    [withCells({ version: '0x02' }), /^invalid transaction/],
    [withCells().then((raw): Hex => `${raw}00`), /^invalid transaction/],
    [signed({ nonce: 0, type: 'eip7702', authorizationList: [] }), /^set code transaction must have at least one/],
    [signed({ nonce: 0 }).then(malleated), 'invalid sender: invalid transaction v, r, s values'],
    [signed({ nonce: 0 }).then((raw): Hex => `${raw}00`), /^invalid transaction/],
  ];
  for (const [raw, message] of table)
    expect(await refusal(url, 'eth_sendRawTransaction', await raw)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  expect((await running.pool.usage()).pending).toBe(0);
});

test('tip over cap is refused', async () => {
  const { url } = await edge();
  // viem refuses to sign it, so the fields of a signed one are changed.
  const fair = await signed({ nonce: 0, maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei });
  const unfair = fair.replace('843b9aca00', '84ffffffff') as Hex;
  expect(await refusal(url, 'eth_sendRawTransaction', unfair)).toMatch(
    /^max priority fee per gas higher than max fee per gas/,
  );
});

test('the pool’s refusals are said in the words that clients know', async () => {
  const limits = { max_per_sender: 3, max_txs: 4, max_parked: 1 };
  const { url, running } = await edge({ backend: 'ephemeral', ordering: 'priority', ...limits });
  const send = async (raw: Promise<Hex>): Promise<unknown> => {
    const { result, error } = await call(url, 'eth_sendRawTransaction', await raw);
    return error?.message ?? result;
  };
  const first = await send(signed({ nonce: 0 }));
  expect(await send(signed({ nonce: 0 }))).toBe('already known');
  const tip = { maxFeePerGas: 9n * gwei };
  expect(await send(signed({ nonce: 0, ...tip, maxPriorityFeePerGas: gwei + 1n }))).toBe(
    'replacement transaction underpriced',
  );
  expect(await send(signed({ nonce: 0, ...tip, maxPriorityFeePerGas: (gwei * 11n) / 10n }))).toMatch(/^0x/);
  expect((await call(url, 'eth_getTransactionByHash', first)).result).toBe(null);
  expect(await send(signed({ nonce: 1 }))).toMatch(/^0x/);
  expect(await send(signed({ nonce: 3 }))).toMatch(/^0x/);
  expect(await send(signed({ nonce: 4 }))).toMatch(/^account limit exceeded/);
  expect(await send(signed({ nonce: 5 }, bob))).toMatch(/^txpool is full/);
  await send(signed({ nonce: 0 }, bob));
  expect(await send(signed({ nonce: 0, ...tip, maxPriorityFeePerGas: 1n }, accountOf(3)))).toMatch(/^0x/);
  expect(await send(signed({ nonce: 0, ...tip, maxPriorityFeePerGas: 1n }, accountOf(4)))).toBe(
    'transaction underpriced',
  );

  const { transactions } = await running.pool.peekPending();
  const sent = transactions.find(({ hash }) => hash !== String(first).slice(2))?.hash ?? '';
  await running.pool.markInflight(sent);
  const rival = { maxPriorityFeePerGas: 9n * gwei, maxFeePerGas: 9n * gwei };
  expect(await send(signed({ nonce: 0, ...rival }))).toMatch(/^replacement transaction underpriced: .* sent/);
  await running.pool.confirm({ point: { slot: 1, hash: '1'.repeat(64) }, seen: [sent], unseen: [] });
  expect(await send(signed({ nonce: 0, ...rival }))).toMatch(/^nonce too low/);
  expect((await call(url, 'eth_getTransactionCount', alice.address, 'latest')).result).toBe('0x1');
});

test('where the floor is the base fee, transactions are ordered by what they pay at it, and wait below it', async () => {
  const pool = { backend: 'ephemeral', ordering: 'priority', min_priority: 10n };
  const { url, running } = await edge(pool, { follows_floor: true });
  const names = new Map<string, string>();
  const send = async (name: string, raw: Promise<Hex>): Promise<unknown> => {
    const { result, error } = await call(url, 'eth_sendRawTransaction', await raw);
    names.set(String(result).slice(2), name);
    return error ?? result;
  };
  const order = async (): Promise<unknown> => (await running.pool.reap()).map(({ hash }) => names.get(hash));
  const paying = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
    nonce: 0,
    maxFeePerGas,
    maxPriorityFeePerGas,
  });
  await send('tips', signed(paying(18n, 6n)));
  await send('legacy', signedLegacy({ nonce: 0, gasPrice: 17n }, bob));
  await send('poor', signed(paying(11n, 9n), accountOf(3)));
  await send('below', signedLegacy({ nonce: 0, gasPrice: 9n }, accountOf(4)));
  expect(await order()).toEqual(['legacy', 'tips', 'poor']);
  await running.pool.setLimits({ minPriority: 12n });
  expect(await order()).toEqual(['tips', 'legacy']);
  await running.pool.setLimits({ minPriority: 9n });
  expect(await order()).toEqual(['legacy', 'tips', 'poor', 'below']);
  // A fair replacement raises both, whatever the base fee is.
  expect(await send('cap alone', signed({ ...paying(20n, 6n), value: 2n }))).toEqual({
    ...{ code: -32000, message: 'replacement transaction underpriced' },
    data: { required: '20', requiredTip: '7' },
  });
  await send('raised', signed({ ...paying(20n, 7n), value: 2n }));
  expect(await order()).toEqual(['legacy', 'raised', 'poor', 'below']);
});
