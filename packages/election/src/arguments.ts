import { badOption, ElectionError } from './contract/errors.ts';

/** Longer than any option's name. A longer one is shortened in the message. */
const maxNameLength = 100;

/** Returns `given` if all its fields are in `names`. @throws `ERR_ELECTION_OPTION` for any other field */
export function checkNames<Given extends object>(given: Given, names: ReadonlySet<string>): Given {
  checkObject('options', given);
  for (const name of Object.keys(given)) {
    if (names.has(name) || given[name as keyof Given] === undefined) continue;
    const field = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
    const message = `${field} is not a known option; known: ${[...names].join(', ')}`;
    throw new ElectionError('ERR_ELECTION_OPTION', message, { field });
  }
  return given;
}

/** Checks that `given` is an object. @throws `ERR_ELECTION_OPTION` naming the field */
export function checkObject(field: string, given: object): void {
  if (typeof given !== 'object' || given === null) throw badOption(field, 'an object');
}

/** Checks that `given` is a function. @throws `ERR_ELECTION_OPTION` naming the field */
export function checkFunction(field: string, given: unknown): void {
  if (typeof given !== 'function') throw badOption(field, 'a function');
}

export interface WithSignal {
  readonly signal?: AbortSignal | undefined;
}

const signalNames: ReadonlySet<string> = new Set(['signal']);

/** Returns the signal of the options. `null` counts as no signal, as in `fetch`. @throws `ERR_ELECTION_OPTION` naming the field */
export function signalOf(options: WithSignal): AbortSignal | undefined {
  const { signal } = checkNames(options, signalNames);
  if (signal === undefined || signal === null) return undefined;
  if (!(signal instanceof AbortSignal)) throw badOption('signal', 'an AbortSignal');
  return signal;
}
