import { type BlobSidecar, fromRlp, type Hex, size, toRlp } from 'viem';

/** A blob transaction and its blobs, taken apart. */
export interface CellSidecars {
  /** The transaction without blobs, as it is in a block. */
  readonly bare: Hex;
  /** Of each blob the first proof stands for all. */
  readonly sidecars: readonly BlobSidecar<Hex>[];
}

const blobBytes = 131_072;
const pointBytes = 48;
const cellsPerBlob = 128;

/**
 * Takes apart what carries a proof for each cell of its blobs (EIP-7594): `[transaction, 1, blobs, commitments, proofs]`. `null` for
 * any other bytes, such as the older form with a proof for each blob, which viem reads itself.
 */
export function cellSidecars(raw: Hex): CellSidecars | null {
  const [transaction, version, ...lists] = raw.startsWith('0x03') ? listOf(raw) : [];
  const [blobs, commitments, proofs] = lists;
  if (!Array.isArray(transaction) || version !== '0x01' || lists.length !== 3) return null;
  if (!isListOf(blobs, blobBytes) || !isListOf(commitments, pointBytes) || !isListOf(proofs, pointBytes)) return null;
  if (commitments.length !== blobs.length || proofs.length !== blobs.length * cellsPerBlob) return null;
  if (wrapped([transaction, version, blobs, commitments, proofs]) !== raw) return null;
  const sidecars = blobs.map((blob, i) => ({
    blob,
    commitment: commitments[i] as Hex,
    proof: proofs[i * cellsPerBlob] as Hex,
  }));
  return { bare: wrapped(transaction), sidecars };
}

type Rlp = Parameters<typeof toRlp>[0];

function listOf(raw: Hex): readonly unknown[] {
  try {
    const items = fromRlp(`0x${raw.slice(4)}`, 'hex');
    return Array.isArray(items) ? items : [];
  } catch {
    return [];
  }
}

function isListOf(given: unknown, bytes: number): given is readonly Hex[] {
  return Array.isArray(given) && given.every((each) => typeof each === 'string' && size(each as Hex) === bytes);
}

function wrapped(items: readonly unknown[]): Hex {
  return `0x03${toRlp(items as Rlp, 'hex').slice(2)}`;
}
