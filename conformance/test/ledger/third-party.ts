import type { LedgerSubject } from 'mempool-conformance';
import { type Ledger, type LedgerBackend, type LedgerOptions, openLedger } from 'mempool-ledger';
import { defineLedger, type LedgerStore } from 'mempool-ledger/backend';
import { LedgerModel } from '../../src/model/ledger/model.ts';

/** What is wrong with a ledger: in its rules, in a handle of it, or in what callers get. */
export interface Fault {
  readonly id: string;
  readonly title: string;
  /** It is noticed because something never comes. */
  readonly waits?: true;
  /** Changes the rules of a new ledger. */
  plant?(model: LedgerModel): void;
  /** Replaces methods of a handle. */
  handle?(store: LedgerStore, model: LedgerModel): Partial<LedgerStore>;
  /** Replaces verbs of the opened ledger. */
  front?(ledger: Ledger): object;
  /** The name that is really opened. */
  named?(name: string): string;
  /** The options that are really passed on. */
  options?(given: LedgerOptions): LedgerOptions;
}

/** A ledger of a third party: lists in the memory of this process, found again by name. */
function listLedger(lists: Map<string, LedgerModel>, fault: Fault): LedgerBackend<object> {
  return defineLedger<object>({
    name: 'lists',
    options: {},
    async open(options) {
      const name = fault.named?.(options.name) ?? options.name;
      const model = lists.get(name) ?? planted(new LedgerModel(options), fault);
      model.options = options;
      lists.set(name, model);
      const store = over<LedgerStore>(model, { close: async () => {} });
      return fault.handle === undefined ? store : over(store, fault.handle(store, model));
    },
  });
}

function planted(model: LedgerModel, fault: Fault): LedgerModel {
  fault.plant?.(model);
  return model;
}

/** The same object with some of its methods replaced. */
export function over<Whole extends object>(whole: Whole, changes: object): Whole {
  return new Proxy(whole, {
    get(_, key) {
      const member: unknown = Reflect.get(Object.hasOwn(changes, key) ? changes : whole, key);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });
}

export const noFault: Fault = { id: 'none', title: 'nothing is wrong' };

export function thirdParty(fault: Fault = noFault): LedgerSubject {
  const lists = new Map<string, LedgerModel>();
  const backend = listLedger(lists, fault);
  return {
    name: `ledger-lists, ${fault.id}`,
    async ledger(options) {
      const ledger = await openLedger(backend, fault.options?.(options) ?? options);
      return fault.front === undefined ? ledger : over(ledger, fault.front(ledger));
    },
    ledgerTraits: ['durable', 'shared', 'clock'],
    destroy: async (name) => void lists.delete(name),
  };
}
