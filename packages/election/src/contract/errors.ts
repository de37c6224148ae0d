/** Every code an election may fail with. */
export type ElectionErrorCode =
  /** An option is wrong; the message and `field` name it. */
  | 'ERR_ELECTION_OPTION'
  /** No provider is registered for this type. */
  | 'ERR_ELECTION_UNKNOWN_TYPE'
  /** The node does not lead, or no longer. */
  | 'ERR_ELECTION_NOT_LEADER'
  /** The election was stopped. */
  | 'ERR_ELECTION_STOPPED'
  /** The store could not be reached, or did not answer in time; what was asked may have happened. */
  | 'ERR_ELECTION_UNAVAILABLE'
  /** The store refuses what the election needs: a right, a command, a version, a kind of file. Or Node is older than 22. */
  | 'ERR_ELECTION_REFUSED';

/** The one error class. Recognise it by `code` with `isElectionError`, not by `instanceof`. */
export class ElectionError extends Error {
  override readonly name = 'ElectionError';
  readonly code: ElectionErrorCode;
  /** The option that is wrong. */
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

export function isElectionError(error: unknown, code?: ElectionErrorCode): error is ElectionError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  return code === undefined ? error.code.startsWith('ERR_ELECTION_') : error.code === code;
}

/** An option is wrong: the error that names it. */
export function badOption(field: string, expected: string): ElectionError {
  return new ElectionError('ERR_ELECTION_OPTION', `${field} must be ${expected}`, { field });
}
