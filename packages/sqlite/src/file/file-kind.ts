import type { Ordering } from 'mempool-core';
import { formatVersion } from 'mempool-core/backend';

/** A kind of file. Each kind refuses files of the others. */
export interface FileKind {
  /** What a file of the kind holds, in words. */
  readonly what: string;
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
