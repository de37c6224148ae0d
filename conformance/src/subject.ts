import type { Subject } from './case.ts';

/** The subject that a module exports, as default or as `subject`. @throws TypeError saying what is missing */
export async function loadSubject(module: string): Promise<Subject> {
  const exported: { readonly default?: unknown; readonly subject?: unknown } = await import(module);
  const subject = exported.default ?? exported.subject;
  if (!isSubject(subject)) throw new TypeError(`${module} exports no subject, neither as default nor as 'subject'`);
  return subject;
}

function isSubject(value: unknown): value is Subject {
  if (typeof value !== 'object' || value === null) return false;
  const { name, module, backend, open } = value as Partial<Subject>;
  return (
    typeof name === 'string' &&
    typeof module === 'string' &&
    typeof backend?.capabilities === 'object' &&
    typeof open === 'function'
  );
}
