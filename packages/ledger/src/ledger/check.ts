import { badArgument, LedgerError } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { Metadata } from '../contract/transfer.ts';

const control = /\p{Cc}/u;

/** A text of `least` to `most` UTF-16 code units that is well formed and has no control characters. */
function isPlainText(given: unknown, least: number, most: number): given is string {
  if (typeof given !== 'string' || given.length < least || given.length > most) return false;
  return given.isWellFormed() && !control.test(given);
}

/** Returns the text if its length is from `least` to `most`. @throws `ERR_LEDGER_ARGUMENT` naming the field */
export function checkText(field: string, given: unknown, least: number, most: number): string {
  if (isPlainText(given, least, most)) return given;
  throw badArgument(field, `a text of ${least} to ${most} characters without control characters`);
}

/** True for an id that a caller may choose. Ids that begin with `~` are reserved for the ledger. */
export function isTransferId(given: unknown): given is string {
  return isPlainText(given, 1, ledgerLimits.maxTransferIdLength) && !isSystemId(given);
}

/** True for the id of a transfer or a wallet that only the ledger and its couplings make. */
export function isSystemId(id: string): boolean {
  return id.startsWith('~');
}

export function isWalletId(given: unknown): given is string {
  return isPlainText(given, 1, ledgerLimits.maxWalletIdLength);
}

/** True for an amount: a bigint from 1 to 2^63 − 1. */
export function isAmount(given: unknown): given is bigint {
  return typeof given === 'bigint' && given >= 1n && given <= ledgerLimits.maxAmount;
}

/** Returns the tags, sorted and without repeats. @throws `ERR_LEDGER_ARGUMENT` naming the field */
export function checkTags(given: unknown): readonly string[] {
  const { maxTags, maxTagLength } = ledgerLimits;
  if (!Array.isArray(given) || given.length > maxTags)
    throw badArgument('tags', `an array of at most ${maxTags} texts`);
  return [...new Set(given.map((tag, index) => checkText(`tags[${index}]`, tag, 1, maxTagLength)))].toSorted();
}

/** Returns a checked copy of the metadata. @throws `ERR_LEDGER_ARGUMENT` naming the field */
export function checkMetadata(given: unknown): Metadata {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || !isPlain(given))
    throw badArgument('metadata', 'an object of texts');
  const entries = Object.entries(given);
  for (const [key, value] of entries) {
    if (typeof value !== 'string' || !value.isWellFormed() || !key.isWellFormed()) {
      throw badArgument(`metadata.${key}`, 'a well-formed text');
    }
  }
  if (Buffer.byteLength(JSON.stringify(entries)) > ledgerLimits.maxMetadataBytes) {
    throw badArgument('metadata', `at most ${ledgerLimits.maxMetadataBytes} bytes of JSON`);
  }
  return Object.fromEntries(entries);
}

/** False for an array, a `Map` and other objects that keep what they hold elsewhere than in their fields. */
function isPlain(given: object): boolean {
  const prototype = Object.getPrototypeOf(given);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the whole number if it is from `least` to `most`. @throws `ERR_LEDGER_ARGUMENT` naming the field */
export function checkWhole(field: string, given: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(given) && Number(given) >= least && Number(given) <= most) return Number(given);
  throw badArgument(field, `a whole number from ${least} to ${most}`);
}

/** Returns the options. @throws `ERR_LEDGER_ARGUMENT` for a field that is not in `names` */
export function checkNames<Given extends object>(given: Given, names: Readonly<Record<string, true>>): Given {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badArgument('the argument', 'an object');
  for (const field of Object.keys(given)) {
    if (Object.hasOwn(names, field)) continue;
    const known = Object.keys(names).join(', ');
    throw new LedgerError('ERR_LEDGER_ARGUMENT', `${field.slice(0, 100)} is not known; known: ${known}`, { field });
  }
  return given;
}
