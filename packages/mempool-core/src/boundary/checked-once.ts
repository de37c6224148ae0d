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

/** The empty lists that ask about a call, each with the transactions of that call. */
const questions = new WeakMap<object, readonly Transaction[]>();

/**
 * Returns an empty list that asks about a call with these transactions. `receive` of it under the operation id of that call
 * returns the recorded outcomes; if the id is not known, nothing. So nothing is received, whatever was forgotten (X2).
 */
export function askingAbout<Own extends Transaction>(own: readonly Own[]): readonly Own[] {
  const question: readonly Own[] = asChecked([]);
  questions.set(question, own);
  return question;
}

/** The transactions that a list from `askingAbout` asks about. */
export function askedAbout(given: object): readonly Transaction[] | undefined {
  return questions.get(given);
}
