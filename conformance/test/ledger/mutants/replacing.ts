import type { LedgerModel } from '../../../src/model/ledger/model.ts';
import type { Fault } from '../third-party.ts';

type Method = {
  [K in keyof LedgerModel]: LedgerModel[K] extends (...args: never[]) => unknown ? K : never;
}[keyof LedgerModel];

/** A fault in one method: `change` gets the right one and answers with the wrong one. */
export function wrong<K extends Method>(
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

/** A fault in what callers get. */
export function front(id: string, title: string, change: NonNullable<Fault['front']>): Fault {
  return { id, title, front: change };
}

/** The same fault, noticed because something never comes. */
export function waiting(fault: Fault): Fault {
  return { ...fault, waits: true };
}
