import { type ElectionProvider, type LeaseStore, systemClock } from 'mempool-election';
import type { ElectionSubject, LeasesOptions, LedgerSubject, Subject } from './case.ts';

/** A subject of the suite: a backend, or an election or a ledger alone. */
export type AnySubject = Subject | ElectionSubject | LedgerSubject;

/** Returns the subject that a module exports, as default or as `subject`. @throws TypeError naming the missing part */
export async function loadSubject(module: string): Promise<AnySubject> {
  const exported: { readonly default?: unknown; readonly subject?: unknown } = await import(module);
  const subject = exported.default ?? exported.subject;
  if (!isSubject(subject)) throw new TypeError(`${module} exports no subject, neither as default nor as 'subject'`);
  return subject;
}

function isSubject(value: unknown): value is AnySubject {
  if (typeof value !== 'object' || value === null) return false;
  const { name, module, backend, open, leases, ledger } = value as Partial<Subject>;
  if (typeof name !== 'string') return false;
  if (backend === undefined && typeof ledger === 'function') return true;
  if (typeof module !== 'string') return false;
  if (backend === undefined) return typeof leases === 'function';
  return typeof backend.capabilities === 'object' && typeof open === 'function';
}

/** Makes a full subject from an election or a ledger alone. Its pools cannot be opened. */
export function wholeSubject(subject: AnySubject): Subject {
  if ('backend' in subject) return subject;
  const traits = 'ledger' in subject ? (subject.ledgerTraits ?? []) : [];
  const kept = { durable: traits.includes('durable'), shared: traits.includes('shared') };
  const capabilities = { ...kept, lease: false, priority: false, records: false, import: false };
  const open = () => Promise.reject(new Error(`${subject.name} has no pools`));
  const module = 'module' in subject ? subject.module : 'none: no other process opens it';
  return { ...subject, module, backend: { name: 'none', capabilities }, open };
}

const defaultTtlMs = 10_000;
/** Longer than a busy machine needs, shorter than the time limit of a case. */
const commandTimeoutMs = 5_000;

/** Opens the provider's leases of the election `watcher`, with the system's clock and without a log. For a subject's `leases`. */
export function openLeases<Own extends object>(
  provider: ElectionProvider<Own>,
  own: Own,
  { ttlMs = defaultTtlMs }: LeasesOptions = {},
): Promise<LeaseStore> {
  const log = (): void => undefined;
  return provider.open({ ...own, name: 'watcher', ttlMs, commandTimeoutMs, clock: systemClock, log });
}
