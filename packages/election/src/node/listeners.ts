import type { ElectionEvent, ElectionEventKind, ElectionEventOf } from '../contract/events.ts';
import type { LeaseStoreOptions } from '../contract/provider.ts';

type Listener = (event: ElectionEvent) => unknown;

/** The listeners of an election. An error in one is logged and affects neither the others nor the election. */
export class Listeners {
  readonly #log: LeaseStoreOptions['log'];
  readonly #all = new Set<Listener>();

  constructor(log: LeaseStoreOptions['log']) {
    this.#log = log;
  }

  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void {
    const isOfKind = (event: ElectionEvent): event is ElectionEventOf<K> => event.kind === kind;
    return this.onAny((event) => (isOfKind(event) ? listener(event) : undefined));
  }

  onAny(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  emit(event: ElectionEvent): void {
    for (const listener of [...this.#all]) if (this.#all.has(listener)) this.#call(listener, event);
  }

  #call(listener: Listener, event: ElectionEvent): void {
    const failed = (error: unknown) =>
      this.#log('error', 'a listener of the election failed', { on: event.kind, error });
    try {
      Promise.resolve(listener(event)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
