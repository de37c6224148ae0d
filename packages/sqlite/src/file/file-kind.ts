import type { Ordering } from 'mempool-core';
import { formatVersion } from 'mempool-core/backend';

/** A kind of file that this package writes. Each kind refuses files of the others. */
export interface FileKind {
  readonly what: 'pool' | 'ledger';
  /** The id of the kind in the file's header. */
  readonly applicationId: number;
  /** The format in the header of a new file. */
  readonly format: number;
  /** The formats that this version reads. */
  readonly readable: readonly unknown[];
}

/** The format in the file's header (N2). It shows the ordering too. */
export const formats: Readonly<Record<Ordering, number>> = {
  fifo: formatVersion,
  priority: 1_000 + formatVersion,
};

export const poolKind: FileKind = {
  what: 'pool',
  // "mmpl"
  applicationId: 0x6d6d706c,
  format: formats.fifo,
  readable: Object.values(formats),
};

export const ledgerKind: FileKind = {
  what: 'ledger',
  // "mmld"
  applicationId: 0x6d6d6c64,
  format: 1,
  readable: [1],
};

const kinds: readonly FileKind[] = [poolKind, ledgerKind];

/** Returns a description, for messages, of a database of another kind. */
export function contentOf(applicationId: unknown): string {
  const other = kinds.find((kind) => kind.applicationId === applicationId);
  return other === undefined ? 'the database belongs to another program' : `the file holds a ${other.what}`;
}
