/** What an operator can put right. The message is one line; `main` prints it without a stack. */
export class ReplayError extends Error {
  override readonly name: string = 'ReplayError';
}

/** The command line itself is wrong. */
export class UsageError extends ReplayError {
  override readonly name = 'UsageError';
}
