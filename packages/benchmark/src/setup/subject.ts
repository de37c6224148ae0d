import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Backend, Mempool, OpenOptions } from 'mempool-core';
import type { Ledger, LedgerOptions } from 'mempool-ledger';

/** The part of a conformance subject that the benchmark needs: the same module serves both. */
export interface BenchSubject {
  readonly name: string;
  readonly backend: Pick<Backend, 'capabilities'>;
  open(pool: string, options?: OpenOptions): Promise<Mempool>;
  remove?(pool: string): Promise<unknown>;
  destroy?(pool: string): Promise<void>;
}

export const root: string = join(import.meta.dirname, '../../../..');

const modules = {
  ephemeral: 'packages/ephemeral/test/subject.ts',
  sqlite: 'packages/sqlite/test/shared-subject.ts',
  redis: 'packages/redis/test/subject.ts',
} as const;

/** Where this project keeps the subject of a backend. */
export function subjectPath(name: keyof typeof modules): string {
  return join(root, modules[name]);
}

/** Loads a subject by the path of its module. */
export async function loadSubject(path: string): Promise<BenchSubject> {
  const module: { default?: BenchSubject; subject?: BenchSubject } = await import(pathToFileURL(resolve(path)).href);
  const subject = module.default ?? module.subject;
  if (subject === undefined) throw new Error(`${path} exports no subject`);
  return subject;
}

/** The part of a ledger's conformance subject that the benchmark needs. */
export interface LedgerSubject {
  readonly name: string;
  ledger(options: LedgerOptions): Promise<Ledger>;
  destroy?(name: string): Promise<void>;
}

const ledgers = {
  sqlite: 'packages/ledger/test/sqlite/subject.ts',
  redis: 'packages/ledger/test/redis/subject.ts',
} as const;

export async function loadLedger(name: keyof typeof ledgers): Promise<LedgerSubject> {
  const module: { readonly subject: LedgerSubject } = await import(pathToFileURL(join(root, ledgers[name])).href);
  return module.subject;
}
