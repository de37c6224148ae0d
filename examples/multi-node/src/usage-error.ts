/** The command line itself is wrong: one line, exit code 2. */
export class UsageError extends Error {}
