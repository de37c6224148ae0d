import type { Leadership, Lease, WatcherElection } from 'mempool-core';
import type { LeaseSource } from 'mempool-core/backend';

type Work = (signal: AbortSignal, term: number, leadership: Leadership) => Promise<unknown>;

/** Who leads, as a test says: the leases that a pool is fenced by, and one part in the election per node. */
export class ScriptedElections implements LeaseSource {
  #held: Lease | null = null;
  #term = 0;

  held(): Lease | null {
    return this.#held;
  }

  extend(): void {}

  node(nodeId: string): ScriptedElection {
    return new ScriptedElection(nodeId, this);
  }

  /** A new lease for the node; the one before is over for the pool at once, whatever its holder thinks. */
  give(nodeId: string): Lease {
    this.#term += 1;
    this.#held = { nodeId, token: `token-${this.#term}`, term: this.#term };
    return this.#held;
  }

  /** Puts a lease in place, or none. */
  put(lease: Lease | null): void {
    this.#held = lease;
  }
}

export class ScriptedElection implements WatcherElection {
  readonly id: string;
  readonly #elections: ScriptedElections;
  /** Times that the work said it goes on. */
  progress = 0;
  resigned = 0;
  /** What `isLeader` answers while the leadership lasts. */
  valid: () => boolean = () => true;
  /** How many wait to lead, or do. */
  waiting = 0;
  #work: Work | null = null;
  #asked: PromiseWithResolvers<void> = Promise.withResolvers();
  #fail: (error: Error) => void = () => undefined;
  #leading: { readonly end: AbortController; readonly ended: Promise<unknown>; readonly lease: Lease } | null = null;

  constructor(id: string, elections: ScriptedElections) {
    this.id = id;
    this.#elections = elections;
  }

  get lease(): Lease | null {
    return this.#leading?.lease ?? null;
  }

  /** Resolves when somebody waits to lead. */
  get ready(): Promise<void> {
    return this.#asked.promise;
  }

  async runAsLeader<T>(
    work: (signal: AbortSignal, term: number, leadership: Leadership) => Promise<T>,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<T> {
    signal.throwIfAborted();
    this.#work = work;
    this.waiting += 1;
    const over = Promise.withResolvers<never>();
    this.#fail = over.reject;
    signal.addEventListener('abort', () => over.reject(signal.reason), { once: true });
    this.#asked.resolve();
    return over.promise.finally(() => {
      this.waiting -= 1;
    });
  }

  /** Ends as an election that is stopped. Resolves when somebody waits to lead again. */
  end(error: Error): Promise<void> {
    this.#asked = Promise.withResolvers();
    this.#fail(error);
    return this.#asked.promise;
  }

  /** Begins a leadership. Others are not told: they end when the test says so. */
  win(): Lease {
    const work = this.#work;
    if (work === null) throw new Error('nobody waits to lead');
    const lease = this.#elections.give(this.id);
    const end = new AbortController();
    const leadership: Leadership = {
      lease,
      signal: end.signal,
      isLeader: () => !end.signal.aborted && this.valid(),
      reportProgress: () => {
        this.progress += 1;
      },
    };
    this.valid = () => true;
    this.#leading = { end, lease, ended: work(end.signal, lease.term, leadership) };
    return lease;
  }

  /** Tells the work that its leadership is over, and waits for its end. */
  async lose(): Promise<void> {
    const leading = this.#leading;
    this.#leading = null;
    leading?.end.abort(new Error('the leadership is over'));
    await leading?.ended;
  }

  async resign(): Promise<void> {
    this.resigned += 1;
    const { lease } = this;
    await this.lose();
    if (lease !== null && this.#elections.held()?.token === lease.token) this.#elections.put(null);
  }
}
