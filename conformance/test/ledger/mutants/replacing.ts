import type { Ledger } from 'mempool-ledger';
import type { LedgerModel } from '../../../src/model/ledger/model.ts';
import type { Fault } from '../third-party.ts';

type Method = {
  [K in keyof LedgerModel]: LedgerModel[K] extends (...args: never[]) => unknown ? K : never;
}[keyof LedgerModel];

type Given<K extends Method> = Parameters<LedgerModel[K]>;
type Told<K extends Method> = ReturnType<LedgerModel[K]>;

/** A fault in one method: `change` gets the right one and gives the wrong one, once for each ledger. */
export function replaced<K extends Method>(
  id: string,
  title: string,
  name: K,
  change: (right: LedgerModel[K], model: LedgerModel) => LedgerModel[K],
): Fault {
  return {
    id,
    title,
    plant(model) {
      const right = (model[name] as (...args: never[]) => unknown).bind(model) as LedgerModel[K];
      Object.assign(model, { [name]: change(right, model) });
    },
  };
}

/** The same, call by call. */
export function wrong<K extends Method>(
  id: string,
  title: string,
  name: K,
  call: (right: LedgerModel[K], model: LedgerModel, ...given: Given<K>) => Told<K>,
): Fault {
  const change = (right: LedgerModel[K], model: LedgerModel) => {
    return ((...given: Given<K>) => call(right, model, ...given)) as LedgerModel[K];
  };
  return replaced(id, title, name, change);
}

/** Something is done behind the right call; or another answer given, where there is one. */
export function after<K extends Method>(
  id: string,
  title: string,
  name: K,
  change: (told: Awaited<Told<K>>, model: LedgerModel, ...given: Given<K>) => Awaited<Told<K>> | undefined,
): Fault {
  return wrong(id, title, name, (right, model, ...given) => {
    const changed = (told: Awaited<Told<K>>) => change(told, model, ...given) ?? told;
    const told = (right as (...all: Given<K>) => unknown)(...given);
    return (told instanceof Promise ? told.then(changed) : changed(told as Awaited<Told<K>>)) as Told<K>;
  });
}

/** The options of the ledger are others during a call. */
export function optioned<K extends Method>(
  id: string,
  title: string,
  name: K,
  change: (options: LedgerModel['options']) => LedgerModel['options'],
): Fault {
  return wrong(id, title, name, (right, model, ...given) => {
    const { options } = model;
    model.options = change(options);
    const told = (right as (...all: Given<K>) => unknown)(...given);
    const restore = () => {
      model.options = options;
    };
    if (!(told instanceof Promise)) restore();
    return (told instanceof Promise ? told.finally(restore) : told) as Told<K>;
  });
}

/** A fault in what callers get. */
export function front(id: string, title: string, change: NonNullable<Fault['front']>): Fault {
  return { id, title, front: change };
}

type Verb = 'transfer' | 'post' | 'reserve' | 'createWallet' | 'batch';

/** The first argument of a verb is taken for another one. */
export function given<V extends Verb>(
  id: string,
  title: string,
  verb: V,
  change: (first: Parameters<Ledger[V]>[0]) => Parameters<Ledger[V]>[0],
): Fault {
  return front(id, title, (ledger) => ({
    [verb]: (first: Parameters<Ledger[V]>[0], ...rest: unknown[]) =>
      (ledger[verb] as (...all: unknown[]) => unknown)(change(first), ...rest),
  }));
}

/** The same fault, noticed because something never comes. */
export function waiting(fault: Fault): Fault {
  return { ...fault, waits: true };
}
