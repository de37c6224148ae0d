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
