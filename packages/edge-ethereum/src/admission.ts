import { commitmentsToVersionedHashes, size } from 'viem';
import type { Fields, RawTransaction } from './raw-transaction.ts';
import { refused } from './rpc-error.ts';

const maxUint256 = 2n ** 256n - 1n;
/** The largest code that creates a contract (EIP-3860). */
const maxInitCodeBytes = 49_152;

/**
 * Refuses a transaction that no block of this chain can contain in any state of the accounts. The order of the checks and
 * the messages are those of geth.
 * @throws `RpcError` −32000
 */
export function assertAdmissible({ fields }: RawTransaction, chainId: number): void {
  assertChain(fields, chainId);
  assertForm(fields);
  assertPrices(fields);
  assertGas(fields);
}

function assertChain({ type, chainId }: Fields, wanted: number): void {
  if (type === 'legacy' && chainId === undefined)
    throw refused('only replay-protected (EIP-155) transactions allowed over RPC');
  if (chainId !== wanted) throw refused(`invalid sender: invalid chain id for signer: have ${chainId} want ${wanted}`);
}

function assertForm(fields: Fields): void {
  const { type, to, nonce, value = 0n, data = '0x' } = fields;
  if (!Number.isSafeInteger(nonce)) throw refused('nonce has max value');
  if (value > maxUint256) throw refused('insufficient funds for gas * price + value');
  const creates = isCreation(fields);
  if (to !== undefined && !creates && size(to as `0x${string}`) !== 20)
    throw refused('invalid transaction: to is no address');
  if (creates && size(data) > maxInitCodeBytes)
    throw refused(`max initcode size exceeded: code size ${size(data)}, limit ${maxInitCodeBytes}`);
  if (type === 'eip4844') assertBlobs(fields);
  if (type === 'eip7702' && creates) throw refused('set code transaction must not be a create transaction');
  if (type === 'eip7702' && (fields.authorizationList?.length ?? 0) === 0)
    throw refused('set code transaction must have at least one authorization tuple');
}

function assertBlobs(fields: Fields): void {
  const { blobVersionedHashes: hashes = [], sidecars } = fields;
  if (isCreation(fields)) throw refused('blob transaction of type create');
  if (hashes.length === 0) throw refused('blobless blob transaction');
  if (!hashes.every((hash) => /^0x01[0-9a-f]{62}$/.test(hash))) throw refused('invalid blob hash version');
  if (!sidecars) return;
  const commitments = sidecars.map(({ commitment }) => commitment);
  const own = commitmentsToVersionedHashes({ commitments });
  if (own.length !== hashes.length || own.some((hash, i) => hash !== hashes[i]))
    throw refused('blob sidecar does not match the blob hashes of the transaction');
}

function assertPrices(fields: Fields): void {
  if (priceCap(fields) > maxUint256) throw refused('max fee per gas higher than 2^256-1');
  const { maxPriorityFeePerGas: tip = 0n, maxFeePerGas: cap = 0n, gasPrice } = fields;
  if (gasPrice === undefined && tip > cap)
    throw refused(
      `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
    );
}

function assertGas(fields: Fields): void {
  const { gas = 0n } = fields;
  if (gas > BigInt(Number.MAX_SAFE_INTEGER)) throw refused('exceeds block gas limit');
  const needed = intrinsicGas(fields);
  if (gas < needed) throw refused(`intrinsic gas too low: gas ${gas}, minimum needed ${needed}`);
}

/** True if the transaction creates a contract. */
function isCreation({ to }: Fields): boolean {
  return to === undefined || to === null || (to as string) === '0x';
}

/** What a transaction costs before it does anything (Yellow Paper, EIP-2028, EIP-2930, EIP-3860, EIP-7702). */
function intrinsicGas(fields: Fields): bigint {
  const { data = '0x', accessList = [], authorizationList = [] } = fields;
  const bytes = size(data);
  const zeros = zeroBytes(data);
  const creation = isCreation(fields) ? 32_000 + 2 * Math.ceil(bytes / 32) : 0;
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0);
  const lists = 2_400 * accessList.length + 1_900 * keys + 25_000 * authorizationList.length;
  return BigInt(21_000 + creation + 4 * zeros + 16 * (bytes - zeros) + lists);
}

function zeroBytes(data: string): number {
  let zeros = 0;
  for (let i = 2; i < data.length; i += 2) if (data[i] === '0' && data[i + 1] === '0') zeros += 1;
  return zeros;
}

/** The most that one unit of gas may cost. */
function priceCap({ gasPrice, maxFeePerGas }: Fields): bigint {
  return gasPrice ?? maxFeePerGas ?? 0n;
}

/** Returns the highest amount that the transaction may cost its sender, in wei. */
export function mostSpent(fields: Fields): bigint {
  const { gas = 0n, value = 0n, maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = fields;
  const blobGas = 131_072n * BigInt(blobVersionedHashes.length);
  return gas * priceCap(fields) + value + maxFeePerBlobGas * blobGas;
}
