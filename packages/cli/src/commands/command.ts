import { type Command, InvalidArgumentError } from 'commander';
import { type DropReason, poolReasons } from 'mempool-core';
import { openTarget, type Place } from '../target/open-target.ts';
import type { Target } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The argument of the actions of all commands. */
export interface Session {
  readonly terminal: Terminal;
  readonly place: Place;
}

/** Makes the session of one run, after its options were parsed. */
export type Begin = () => Session;

/** Adds commands to the program. */
export type AddCommands = (program: Command, begin: Begin) => void;

/** Opens the pool that the options name, runs the work on it, and closes it. */
export async function onTarget<T>(
  { terminal, place }: Session,
  work: (target: Target, terminal: Terminal) => Promise<T>,
  open: (place: Place, terminal: Terminal) => Promise<Target> = openTarget,
): Promise<T> {
  await using target = await open(place, terminal);
  return await work(target, terminal);
}

/** The option `--operation-id`. */
export const operationId = [
  '--operation-id <id>',
  'repeating the command with the same id changes nothing more',
] as const;

/** The option `--limit` of a list. */
export const limit: readonly [flags: string, description: string, parse: (text: string) => number, standard: number] = [
  '--limit <number>',
  'show at most this many; 0: all',
  wholeNumber(0),
  100,
];

/** Returns a parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number ${range}.`);
    return value;
  };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `500ms`, `30s`, `5m`, `2h`. Returns milliseconds. */
export function duration(text: string): number {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const value = Number(digits) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a duration, such as 500ms, 30s, 5m, 2h.');
  return value;
}

/** Parses a drop reason: a pool reason, or any other text as the application's reason. */
export function dropReason(text: string): DropReason {
  const word = poolReasons.find((each) => each === text);
  if (word === undefined && (text === '' || text.length > 256))
    throw new InvalidArgumentError('It must have 1–256 characters.');
  return word ?? { app: text };
}

/** Parses the hash of a transaction. */
export function transactionHash(text: string): string {
  const hash = text.toLowerCase().replace(/^0x/, '');
  if (!/^(?:[0-9a-f]{2}){1,64}$/.test(hash)) throw new InvalidArgumentError('It must be 1–64 bytes in hex.');
  return hash;
}

/** Returns a parser of one value of a list, which adds it to those before. Commander calls it once per value. */
export function several<T>(parse: (text: string) => T): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}

/** An error of the file system, told as that of the new file that was asked for. Other errors stay as they are. */
export function unwritten(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  if (error.code === 'EEXIST') return exists(file);
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const remedy = isFull ? ': make room; nothing was written' : '';
  return new Failure(isFull ? exitCodes.tryAgain : exitCodes.failed, `cannot write ${file}: ${error.code}${remedy}`);
}

export function exists(file: string): Failure {
  return new Failure(exitCodes.refused, `${file} exists: nothing was written`);
}
