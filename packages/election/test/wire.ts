import type { ElectionClock, LeaseStore } from '../src/index.ts';

export type Verb = Exclude<keyof LeaseStore, 'onHint' | 'close'>;

/** What becomes of a call on its way to the store and back. */
export type Fate =
  | 'served'
  /** It does not arrive. */
  | 'refused'
  /** It is done, but the answer does not come back. */
  | 'unheard'
  /** It does not arrive, and nobody says so. */
  | 'hung'
  /** It is done after so long, and answered at once then. */
  | { readonly afterMs: number }
  /** It is done at once, and answered after so long. */
  | { readonly answeredAfterMs: number };

/** The way between one node and its store, where everything may happen that happens on a network. */
export class Wire {
  readonly calls: Verb[] = [];
  readonly #clock: ElectionClock;
  #fate: (verb: Verb) => Fate = () => 'served';
  #hints = true;
  #store: LeaseStore | null = null;

  constructor(clock: ElectionClock) {
    this.#clock = clock;
  }

  /** The fate of each call from now on. */
  set(fate: Fate, ...verbs: Verb[]): void {
    this.#fate = (verb) => (verbs.length === 0 || verbs.includes(verb) ? fate : 'served');
  }

  /** The fate of each call from now on, decided when it is made. */
  decide(fate: (verb: Verb) => Fate): void {
    this.#fate = fate;
  }

  heal(): void {
    this.#fate = () => 'served';
  }

  dropHints(): void {
    this.#hints = false;
  }

  /** The node talks to this store from now on: the old one was restarted without its data. */
  reconnect(store: LeaseStore): void {
    this.#store = store;
  }

  attach(store: LeaseStore): LeaseStore {
    this.#store = store;
    return {
      campaign: (request) => this.#carry('campaign', (inner) => inner.campaign(request)),
      renew: (lease, request) => this.#carry('renew', (inner) => inner.renew(lease, request)),
      reinstate: (lease, request) => this.#carry('reinstate', (inner) => inner.reinstate(lease, request)),
      release: (holder) => this.#carry('release', (inner) => inner.release(holder)),
      observe: () => this.#carry('observe', (inner) => inner.observe()),
      heartbeat: (candidate, ttlMs) => this.#carry('heartbeat', (inner) => inner.heartbeat(candidate, ttlMs)),
      members: () => this.#carry('members', (inner) => inner.members()),
      onHint: (listener) => store.onHint((hint) => this.#hints && listener(hint)),
      close: () => store.close(),
    };
  }

  #pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => this.#clock.schedule(resolve, durationMs));
  }

  #carry<T>(verb: Verb, call: (store: LeaseStore) => Promise<T>): Promise<T> {
    this.calls.push(verb);
    const fate = this.#fate(verb);
    const store = this.#store;
    if (store === null) throw new Error('no store is attached');
    switch (fate) {
      case 'served':
        return call(store);
      case 'refused':
        return Promise.reject(new Error('refused'));
      case 'unheard':
        return call(store).then(() => Promise.reject(new Error('unheard')));
      case 'hung':
        return new Promise(() => undefined);
    }
    if ('afterMs' in fate) return this.#pause(fate.afterMs).then(() => call(store));
    return call(store).then((answer) => this.#pause(fate.answeredAfterMs).then(() => answer));
  }
}
