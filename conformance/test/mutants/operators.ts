import type { Mutant } from './mutant.ts';

type Call = (...given: never[]) => unknown;
export type VerbOf<T> = { [V in keyof T]-?: T[V] extends Call ? V : never }[keyof T] & string;
type Given<T, V extends keyof T> = T[V] extends (...given: infer All) => unknown ? All : never;
type Told<T, V extends keyof T> = T[V] extends (...given: never[]) => infer Answer ? Awaited<Answer> : never;
type ItemOf<Answer> = Answer extends readonly (infer One)[]
  ? NonNullable<One>
  : Answer extends { readonly [Name in ListName]?: readonly (infer One)[] }
    ? NonNullable<One>
    : Answer;

const lists = ['entries', 'items', 'transactions', 'points'] as const;
type ListName = (typeof lists)[number];

/** What a mutant remembers of one pool between its calls. */
export interface Notes {
  readonly hashes: Set<string>;
  readonly numbers: Map<string, number>;
  /** What to change of a transaction, by hash. */
  readonly patches: Map<string, object>;
  /** Anything else, by a name. */
  readonly known: Map<string, unknown>;
  count: number;
}

/** A call that is under way, where the fault is. */
export type At<T, V extends keyof T, Site> = V extends keyof T
  ? Site & {
      readonly verb: V;
      readonly given: Given<T, V>;
      /** The sound verb. */
      readonly call: T[V];
      /** All sound verbs. */
      readonly whole: T;
      readonly notes: Notes;
    }
  : never;

/** For some verbs a change of their answer or argument: fields to merge into it, another value, or nothing. */
type Changes<T, Site, Of extends { [V in keyof T]: unknown }> = {
  readonly [V in VerbOf<T>]?: (one: Of[V], at: At<T, V, Site>) => unknown;
};
type Answers<T> = { [V in keyof T]: Told<T, V> };
type Items<T> = { [V in keyof T]: ItemOf<Told<T, V>> };
type Firsts<T> = { [V in keyof T]: Given<T, V>[0] };
type FirstItems<T> = { [V in keyof T]: ItemOf<Given<T, V>[0]> };
type Around<T, Site> = { readonly [V in VerbOf<T>]?: (at: At<T, V, Site>) => unknown };

type Plant<T, Site, Made> = (id: string, fault: (whole: T, site: Site) => Partial<T>) => Made;
type AnyAt = { readonly given: readonly unknown[]; readonly call: (...given: readonly unknown[]) => unknown };
type AnyChange = (one: unknown, at: AnyAt) => unknown;

/** The operators that plant a fault in the verbs of one layer: each gives a mutant. */
export class Layer<T extends object, Site extends object, Made = Mutant> {
  /** Some verbs replaced by hand. */
  readonly plant: Plant<T, Site, Made>;

  constructor(plant: Plant<T, Site, Made>) {
    this.plant = plant;
  }

  /** Verbs made in another way. */
  around(id: string, faults: Around<T, Site>): Made {
    return this.plant(id, (whole, site) => {
      const notes: Notes = { hashes: new Set(), numbers: new Map(), patches: new Map(), known: new Map(), count: 0 };
      const made = Object.entries(faults).map(([verb, fault]) => {
        const call = (...given: unknown[]) => Reflect.apply(whole[verb as keyof T] as Call, whole, given as never[]);
        const run = fault as (at: object) => unknown;
        return [verb, (...given: unknown[]) => run({ ...site, whole, verb, given, call, notes })];
      });
      return Object.fromEntries(made) as Partial<T>;
    });
  }

  /** The same for each of some verbs. */
  every<V extends VerbOf<T>>(id: string, verbs: readonly V[], fault: (at: At<T, V, Site>) => unknown): Made {
    const faults: object = Object.fromEntries(verbs.map((verb) => [verb, fault]));
    return this.around(id, faults as Around<T, Site>);
  }

  /** Answers changed. */
  told(id: string, changes: Changes<T, Site, Answers<T>>): Made {
    return this.#changed(id, changes, (change, at) => lift(at.call(...at.given), (told) => merged(told, change, at)));
  }

  /** Each one in a list that is answered, changed; another answer as a whole. */
  each(id: string, changes: Changes<T, Site, Items<T>>): Made {
    return this.#changed(id, changes, (change, at) =>
      lift(at.call(...at.given), (told) =>
        withList(
          told,
          (list) => list.map((one) => (one === null ? one : merged(one, change, at))),
          () => merged(told, change, at),
        ),
      ),
    );
  }

  /** The first argument changed. */
  given(id: string, changes: Changes<T, Site, Firsts<T>>): Made {
    return this.#changed(id, changes, (change, at) => {
      const [first, ...rest] = at.given;
      return lift(merged(first, change, at), (made) => at.call(made, ...rest));
    });
  }

  /** Each one in the list that is the first argument, changed. */
  givenEach(id: string, changes: Changes<T, Site, FirstItems<T>>): Made {
    return this.#changed(id, changes, (change, at) => {
      const [first, ...rest] = at.given;
      return at.call(Array.isArray(first) ? first.map((one) => merged(one, change, at)) : first, ...rest);
    });
  }

  /** Calls answered without being made, where there is such an answer. */
  instead(id: string, faults: Around<T, Site>): Made {
    return this.#changed(id, faults, (answer, at) =>
      lift((answer as (at: AnyAt) => unknown)(at), (told) => (isNothing(told) ? at.call(...at.given) : told)),
    );
  }

  #changed(id: string, changes: object, run: (change: AnyChange, at: AnyAt) => unknown): Made {
    const faults = Object.entries(changes).map(([verb, change]) => [verb, (at: AnyAt) => run(change, at)]);
    return this.around(id, Object.fromEntries(faults) as Around<T, Site>);
  }
}

/** Goes on at once, or when a promise has an answer. */
function lift(value: unknown, next: (value: unknown) => unknown): unknown {
  return value instanceof Promise ? value.then(next) : next(value);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === false;
}

/** A value with the change in it. */
function merged(value: unknown, change: AnyChange, at: AnyAt): unknown {
  return lift(change(value, at), (made) => {
    if (isNothing(made)) return value;
    const isPatch = isPlain(value) && isPlain(made);
    return isPatch ? { ...value, ...made } : made;
  });
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withList(
  told: unknown,
  change: (list: readonly unknown[]) => unknown,
  otherwise: () => unknown = () => told,
): unknown {
  if (Array.isArray(told)) return change(told);
  const page = { ...(told as Record<string, unknown>) };
  const name = lists.find((one) => Array.isArray(page[one]));
  return name === undefined ? otherwise() : { ...page, [name]: change(page[name] as unknown[]) };
}
