import { isMempoolError, isReply, unwrapped } from 'mempool-redis/backend';
import { LedgerError, type LedgerErrorCode, ledgerCodeOf } from '../backend.ts';

/** What the scripts say, in words. */
const said: Readonly<Record<string, readonly [code: LedgerErrorCode, words: (rest: string) => string]>> = {
  GONE: ['ERR_LEDGER_CORRUPT', () => 'the ledger is gone: its keys were deleted, or the server lost them'],
  LOST: ['ERR_LEDGER_CORRUPT', (key) => `the key ${key} of the ledger is gone, or a part of it: evicted or deleted`],
  CORRUPT: ['ERR_LEDGER_CORRUPT', (key) => `the key ${key} of the ledger is damaged`],
  TYPE: ['ERR_LEDGER_INCOMPATIBLE', (key) => `a key of another type is in the place of ${key}`],
  FORMAT: [
    'ERR_LEDGER_INCOMPATIBLE',
    (format) => `the ledger is stored in format ${format}, which this version does not know`,
  ],
};

/** Converts the error of a call to an error of a ledger. `asked` is the verb. */
export function ledgerError(error: unknown, asked: string): unknown {
  if (isReply(error)) return replyError(error, asked);
  if (!isMempoolError(error)) return error;
  const { field, command } = error.details;
  const named = command === undefined || error.message.includes(command) ? '' : `${command}: `;
  return new LedgerError(ledgerCodeOf(error.code), `${named}${error.message}`, { field, cause: error });
}

/** True if the script met a key of another type. Its error does not name the key. */
export function isWrongType(error: unknown): boolean {
  return isReply(error) && /(^|\s)WRONGTYPE /.test(error.message);
}

function replyError(error: Error, asked: string): LedgerError {
  const [, word = '', rest = ''] = /LEDGER_([A-Z]+) ?(\S*)/.exec(error.message) ?? [];
  const known = said[word];
  if (known !== undefined) return new LedgerError(known[0], known[1](rest), { cause: error });
  const message = unwrapped(error.message);
  // An error of Lua itself comes from data that no script has written.
  const isDamage = /user_script:\d+:|smaller than the target stream top item/.test(error.message);
  const code = isDamage ? 'ERR_LEDGER_CORRUPT' : 'ERR_LEDGER_REFUSED';
  return new LedgerError(code, `Redis refuses ${asked}: ${message}`, { cause: error });
}
