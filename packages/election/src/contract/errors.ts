/** The error codes of elections. */
export type ElectionErrorCode =
  /** An option is wrong; the message and `field` name it. */
  | 'ERR_ELECTION_OPTION'
  /** No provider is registered for this type. */
  | 'ERR_ELECTION_UNKNOWN_TYPE'
  /** The node does not lead. */
  | 'ERR_ELECTION_NOT_LEADER'
  /** The election was stopped. */
  | 'ERR_ELECTION_STOPPED'
  /** The store could not be reached, or did not answer in time. The call may have taken effect. */
  | 'ERR_ELECTION_UNAVAILABLE'
  /** The store lacks something that the election needs: a right, a command, a version, a kind of file. Or Node is older than 22. */
  | 'ERR_ELECTION_REFUSED';

/** The error class of elections. Test for it with `isElectionError`, not with `instanceof`. */
export class ElectionError extends Error {
  override readonly name = 'ElectionError';
  readonly code: ElectionErrorCode;
  /** The option that is wrong; `null` for errors about something else. */
  readonly field: string | null;

  constructor(
    code: ElectionErrorCode,
    message: string,
    { field = null, cause }: { readonly field?: string | null; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.field = field;
  }
}

/** True if `error` is an `ElectionError`. If `code` is given, true for that code only. */
export function isElectionError(error: unknown, code?: ElectionErrorCode): error is ElectionError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return code === undefined ? error.code.startsWith('ERR_ELECTION_') : error.code === code;
}

/** Returns the error for a wrong option, `ERR_ELECTION_OPTION`. The message reads `<field> must be <expected>`. */
export function badOption(field: string, expected: string): ElectionError {
  return new ElectionError('ERR_ELECTION_OPTION', `${field} must be ${expected}`, { field });
}
