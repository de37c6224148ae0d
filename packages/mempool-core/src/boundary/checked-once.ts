import type { Transaction } from '../contract/transaction.ts';

/** Arguments that were checked and copied. `Mempool` marks them, so that the store does not check them again. */
const checked = new WeakSet<object>();

/** Marks an object as checked and copied. Nobody may change it afterwards. */
export function asChecked<Own extends object>(own: Own): Own {
  checked.add(own);
  return own;
}

/** True if `asChecked` has marked the object. */
export function isChecked<Own extends object>(given: unknown): given is Own {
  return typeof given === 'object' && given !== null && checked.has(given);
}

/** The option of a call that asks about another one. A wrapper of a store that copies arguments copies it, too. */
const asking: unique symbol = Symbol('asking about');

/**
 * Returns options for a question about a call with these transactions. With them, `receive` of an empty list under the
 * operation id of that call returns the recorded outcomes; if the id is not known, nothing. So nothing is received, whatever
 * was forgotten (X2).
 */
export function askingAbout<Options extends object>(own: readonly Transaction[], options: Options): Options {
  const question = { ...options, [asking]: own };
  return question;
}

/** The transactions that a call with options from `askingAbout` asks about. */
export function askedAbout(options: object | undefined): readonly Transaction[] | undefined {
  return (options as { readonly [asking]?: readonly Transaction[] } | undefined)?.[asking];
}
