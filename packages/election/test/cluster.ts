import {
  createElection,
  type Election,
  type ElectionClock,
  type ElectionEvent,
  type ElectionEventKind,
  type ElectionEventOf,
  type ElectionOptions,
  type ElectionProvider,
  Leases,
} from '../src/index.ts';
import { ManualClock } from './manual-clock.ts';
import { Wire } from './wire.ts';

/** One node of a test: its election, its way to the store, and what it told. */
export interface Node {
  readonly election: Election;
  readonly wire: Wire;
  readonly events: readonly ElectionEvent[];
  told<K extends ElectionEventKind>(kind: K): ElectionEventOf<K>[];
}

/** Some nodes, one store, and time in the test's hands. Jitter is off unless a test asks for it. */
export class Cluster {
  readonly clock: ManualClock = new ManualClock();
  leases: Leases = new Leases({ clock: this.clock });
  readonly #nodes: Node[] = [];

  /** A node that has not started; `clock` is its own view of time. */
  node({ clock = this.clock, ...options }: ElectionOptions = {}): Node {
    const wire = new Wire(clock);
    const provider: ElectionProvider = { type: 'wired', open: async ({ name }) => wire.attach(this.leases.open(name)) };
    const election = createElection(provider, { jitterMs: 0, clock, ...options });
    const node = { election, wire, ...recorded(election) };
    this.#nodes.push(node);
    return node;
  }

  async start(options?: ElectionOptions): Promise<Node> {
    const node = this.node(options);
    await this.during(node.election.start());
    return node;
  }

  /** A node that has won. */
  async lead(options?: ElectionOptions): Promise<Node> {
    const node = await this.start(options);
    await this.clock.advance(1);
    if (!node.election.isLeader()) throw new Error('this node was to lead');
    return node;
  }

  /** Lets so much time pass while the call is under way, and waits for its end. */
  async during(call: Promise<unknown> | undefined, durationMs = 0): Promise<void> {
    await this.clock.advance(durationMs);
    await call;
  }

  /** The store is restarted without its data, and everybody is connected to it again. */
  forget(): void {
    this.leases = new Leases({ clock: this.clock });
    for (const { wire, election } of this.#nodes) wire.reconnect(this.leases.open(election.name));
  }

  get leaders(): string[] {
    return this.#nodes.filter(({ election }) => election.isLeader()).map(({ election }) => election.id);
  }
}

/** A cluster whose only node has won. */
export async function lead(options?: ElectionOptions): Promise<Node & { readonly cluster: Cluster }> {
  const cluster = new Cluster();
  return { cluster, ...(await cluster.lead(options)) };
}

/** A cluster of `a`, which has won, and `b`, which follows. */
export async function pair(): Promise<{ readonly cluster: Cluster; readonly first: Node; readonly second: Node }> {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a' });
  return { cluster, first, second: await cluster.start({ nodeId: 'b' }) };
}

/** The same monotonic time, and a wall clock that the test sets for one node alone. */
export class OwnWall implements ElectionClock {
  readonly #clock: ManualClock;
  #offMs = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  set(byMs: number): void {
    this.#offMs += byMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  wallMs(): number {
    return this.#clock.wallMs() + this.#offMs;
  }

  schedule(callback: () => void, delayMs: number): () => void {
    return this.#clock.schedule(callback, delayMs);
  }
}

const kinds = [
  'state-changed',
  'acquired',
  'lost',
  'election-failed',
  'leader-changed',
  'identity-conflict',
  'takeover-forced',
] as const;

function recorded(election: Election): Pick<Node, 'events' | 'told'> {
  const events: ElectionEvent[] = [];
  for (const kind of kinds) election.on(kind, (event) => void events.push(event));
  const told = <K extends ElectionEventKind>(kind: K) => {
    return events.filter((event): event is ElectionEventOf<K> => event.kind === kind);
  };
  return { events, told };
}
