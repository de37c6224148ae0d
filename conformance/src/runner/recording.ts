import { AssertionError } from 'node:assert';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { wrappedPool } from 'mempool-core/backend';

/** A failure is reported with this many of the last calls. */
const keptCalls = 10;
const maxCharacters = 400;
/** A comparison of more lines than these is cut. */
const maxLines = 8;

type Outcome = { readonly value: unknown } | { readonly error: unknown };

interface RecordedCall {
  readonly store: string;
  readonly verb: string;
  readonly args: readonly unknown[];
  /** The outcome; `null` while the call is under way. */
  outcome: Outcome | null;
}

/** The last calls that a case made to its stores. */
export class Recording {
  readonly #calls: RecordedCall[] = [];

  /** Returns the store, wrapped so that its calls are recorded under that name. */
  of<T extends object>(store: T, name: string): T {
    const verbs = new Map<PropertyKey, unknown>();
    // The store itself is not the proxy's target: the verbs of a frozen store could not be replaced.
    return new Proxy(Object.create(Object.getPrototypeOf(store)) as T, {
      get: (_, key) => {
        if (key === wrappedPool) return store;
        const member: unknown = Reflect.get(store, key, store);
        if (typeof member !== 'function') return member;
        if (!verbs.has(key)) verbs.set(key, this.#recorded(store, name, String(key), member));
        return verbs.get(key);
      },
      set(_, key, value) {
        verbs.delete(key);
        return Reflect.set(store, key, value, store);
      },
      has: (_, key) => key === wrappedPool || Reflect.has(store, key),
    });
  }

  lines(): string[] {
    return this.#calls.map(({ store, verb, args, outcome }) => {
      const given = args.map(told).join(', ');
      return `${shortened(`${store}.${verb}(${given})`)} → ${outcome === null ? 'no answer yet' : answered(outcome)}`;
    });
  }

  #recorded(target: object, store: string, verb: string, member: object): (...args: unknown[]) => unknown {
    return (...args) => {
      const call: RecordedCall = { store, verb, args, outcome: null };
      this.#calls.push(call);
      if (this.#calls.length > keptCalls) this.#calls.shift();
      try {
        return noted(Reflect.apply(member as () => unknown, target, args), call);
      } catch (error) {
        call.outcome = { error };
        throw error;
      }
    };
  }
}

function noted(answer: unknown, call: RecordedCall): unknown {
  if (answer instanceof Promise)
    answer.then(
      (value: unknown) => (call.outcome = { value }),
      (error: unknown) => (call.outcome = { error }),
    );
  else call.outcome = { value: answer };
  return answer;
}

function told(value: unknown): string {
  return inspect(value, { depth: 4, maxArrayLength: 4, maxStringLength: 140, breakLength: Number.POSITIVE_INFINITY });
}

function answered(outcome: Outcome): string {
  if ('value' in outcome) return shortened(told(outcome.value));
  const { error } = outcome;
  return `rejected: ${shortened(error instanceof Error ? `${error.name}: ${error.message}` : told(error))}`;
}

/** Hashes by their beginning and their end, so that a call fits a line. */
function shortened(whole: string): string {
  const text = whole.replace(/[0-9a-f]{24,}/g, (hash) => `${hash.slice(0, 6)}…${hash.slice(-4)}`);
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)} …`;
}

/** Returns the failed assertion as source text, if its message has only the two values; else `null`. */
export function comparisonOf(error: unknown): string | null {
  if (!(error instanceof AssertionError) || !error.generatedMessage) return null;
  const [, file, line] = /^\s+at .*?((?:file:\/\/)?\/[^\s:()?]+)[^\s:()]*:(\d+):\d+\)?$/m.exec(error.stack ?? '') ?? [];
  if (file === undefined) return null;
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return statementAt(readFileSync(path, 'utf8').split('\n'), Number(line) - 1);
  } catch {
    return null;
  }
}

/** The source from that line to where its brackets close. */
function statementAt(lines: readonly string[], from: number): string | null {
  const found: string[] = [];
  let open = 0;
  for (const line of lines.slice(from, from + maxLines)) {
    found.push(line.trim());
    open += line.split(/[([{]/).length - line.split(/[)\]}]/).length;
    if (open <= 0) break;
  }
  const statement = found.join(' ');
  return statement.includes('assert') ? statement : null;
}
