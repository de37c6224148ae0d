import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { blockEntry, FailoverRecorder } from 'mempool-conformance/failover';
import {
  type ConfirmOutcome,
  type Mempool,
  type MempoolEvent,
  openMempool,
  type SourceStep,
  type TipOptions,
  type Transaction,
  Watcher,
  type WatcherPool,
} from 'mempool-core';
import { createElection, type Election, type ElectionEvent, isElectionError, type Lease } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { block, numberOf } from './block.ts';
import { FedChain } from './fed-chain.ts';
import type { Call, ElectionSetup, NodeEvent, NodeMessage, NodeSetup, Told } from './message.ts';
import { patienceMs } from './wait.ts';

const send = (message: NodeMessage): void => void process.send?.(message);

function tellAs(nodeId: string): (told: Told) => void {
  return (told) => send({ kind: 'told', event: { ...told, nodeId, atNs: process.hrtime.bigint() } as NodeEvent });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function electionOf(setup: NodeSetup, own: ElectionSetup, recorder: FailoverRecorder): Election {
  const tell = tellAs(own.nodeId);
  const { url, pool } = setup;
  const election = createElection(recorder.provider(redisElection), { ...own, url, keyPrefix: pool.pool });
  recorder.election(election);
  const kinds = [
    'state-changed',
    'acquired',
    'lost',
    'leader-changed',
    'identity-conflict',
    'takeover-forced',
  ] as const;
  for (const kind of kinds) election.on(kind, (event: ElectionEvent) => tell(event as Told));
  election.on('election-failed', ({ kind, term, error }) =>
    tell({ kind, term, code: error === null ? null : codeOf(error) }),
  );
  return election;
}

function watcherOf(election: Election, pool: WatcherPool, tell: (told: Told) => void, source: FedChain): Watcher {
  const log = (_level: string, message: string): void => tell({ kind: 'log', message });
  const watcher = new Watcher({ election, pool, source, log });
  const kinds = ['ready', 'diverged', 'applied', 'undone', 'fenced', 'skipped'] as const;
  for (const kind of kinds) watcher.on(kind, tell);
  watcher.on('failed', ({ error }) => tell({ kind: 'failed', message: String(error) }));
  return watcher;
}

async function recordEvents(events: AsyncIterable<MempoolEvent>, recorder: FailoverRecorder): Promise<void> {
  for await (const event of events) {
    const entry = blockEntry(event);
    if (entry !== null) recorder.write(entry);
  }
}

/** Puts this process to sleep for real; the short wait lets the signal take effect before the statement after it. */
function sleepUntilContinued(): void {
  process.kill(process.pid, 'SIGSTOP');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

interface NodeParts {
  readonly store: Mempool;
  /** The store's calls that need the lease, recorded. */
  readonly pool: WatcherPool;
  readonly elections: readonly Election[];
  readonly chain: FedChain;
  readonly watcher: Watcher | null;
  readonly recording: Promise<void> | null;
  readonly tell: (told: Told) => void;
}

async function open(setup: NodeSetup): Promise<Node> {
  const [first] = setup.elections;
  if (first === undefined) throw new Error('a node takes part in at least one election');
  const tell = tellAs(first.nodeId);
  const store = await openMempool(setup.pool, { redis });
  const recorders = setup.elections.map(({ nodeId }) => new FailoverRecorder(setup.record, nodeId));
  const [recorder] = recorders as [FailoverRecorder];
  const recording = setup.recordsEvents ? recordEvents(await store.subscribe(), recorder) : null;
  const elections = setup.elections.map((own, i) => electionOf(setup, own, recorders[i] as FailoverRecorder));
  const pool = { ...recorder.pool(store), tip: (options?: TipOptions) => store.tip(options) };
  const chain = new FedChain();
  const watcher = setup.watcher ? watcherOf(elections[0] as Election, pool, tell, chain) : null;
  return new Node({ store, pool, elections, chain, watcher, recording, tell });
}

/** The methods that the parent may call. */
export class Node {
  readonly #parts: NodeParts;
  readonly #election: Election;
  #lease: Lease | null = null;
  #confirming: Promise<void> | null = null;
  #moves = true;
  #isStopped = false;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.#election = parts.elections[0] as Election;
    this.#election.on('acquired', ({ token, term }) => {
      this.#lease = { nodeId: this.#election.id, token, term };
    });
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await Promise.all(this.#parts.elections.map((each) => this.#begin(each)));
    await this.#parts.watcher?.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#parts.watcher?.stop();
    await Promise.all(this.#parts.elections.map((each) => each.stop()));
  }

  resign(): Promise<void> {
    return this.#election.resign();
  }

  status() {
    const { state, term, leader, leadership } = this.#election;
    const remainingMs = leadership?.remainingMs() ?? 0;
    return { isLeader: this.#election.isLeader(), remainingMs, state, term, leader, lease: this.#lease };
  }

  /** Applies block `n` under the lease that this node won last, whether or not it still has it. */
  confirm(n: number): Promise<ConfirmOutcome> {
    return this.#parts.pool.confirm(block(n), {}, this.#lease === null ? {} : { lease: this.#lease });
  }

  /** Stops this process within a statement, as SIGSTOP does; continued, it looks whether it leads and confirms block `n`. */
  async sleepThenConfirm(n: number) {
    const before = this.#election.isLeader();
    sleepUntilContinued();
    const after = this.#election.isLeader();
    return { before, after, outcome: await this.confirm(n) };
  }

  /** From now on confirms block after block under the lease that was won last, and never asks whether it still leads. */
  confirmOn(): void {
    this.#confirming = Promise.resolve();
    this.#confirming = this.#confirmOn();
  }

  async confirmNoMore(): Promise<void> {
    const last = this.#confirming;
    this.#confirming = null;
    await last;
  }

  /** Leads with work that reports progress until it is told to stand still. */
  work(): void {
    this.#election
      .runAsLeader(async (signal, _term, leadership) => {
        for (; !signal.aborted; await delay(20)) if (this.#moves) leadership.reportProgress();
      })
      .catch((error: unknown) => this.#parts.tell({ kind: 'log', message: `work ended: ${codeOf(error)}` }));
  }

  standStill(): void {
    this.#moves = false;
  }

  /** The next steps of the chain that the watcher follows. */
  grow(steps: readonly SourceStep[]): void {
    for (const step of steps) this.#parts.chain.feed(step);
  }

  /** Takes transactions in, as a node does before a block carries them. The same `id` may be sent to another node too. */
  async submit(id: string, transactions: readonly Transaction[]): Promise<void> {
    const { store } = this.#parts;
    const hashes = transactions.map(({ hash }) => hash);
    await store.receive(transactions, { operationId: `${id}/receive` });
    await store.markInflight(hashes, { operationId: `${id}/in-flight` });
    await store.markAcknowledged(hashes, { operationId: `${id}/acknowledged` });
  }

  /** Stops, closes the pool and lets the process end. */
  async end(): Promise<void> {
    await this.stop();
    await this.#parts.store.close();
    await this.#parts.recording;
    // After the answer to this call.
    setImmediate(disconnect);
  }

  async #confirmOn(): Promise<void> {
    for (let n = 0; this.#confirming !== null; await delay(5)) {
      if (this.#lease === null) continue;
      try {
        n = numberOf((await this.#parts.pool.tip()).point) ?? n;
        await this.confirm(n + 1);
      } catch {
        // The recorder tells of it; the next turn is another attempt.
      }
    }
  }

  async #begin(election: Election): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await election.start();
      } catch (error) {
        // A short lease leaves little time to connect, and a loaded machine may need more.
        const isAway = isElectionError(error, 'ERR_ELECTION_UNAVAILABLE');
        if (this.#isStopped || !isAway || performance.now() > deadline) throw error;
      }
    }
  }
}

async function answer(node: Node, { id, name, args }: Call): Promise<void> {
  try {
    // The parent's types pair name and arguments; across the process border that is lost.
    const value: unknown = await (node[name as keyof Node] as (...args: unknown[]) => unknown).apply(node, [...args]);
    send({ kind: 'done', id, value });
  } catch (error) {
    send({ kind: 'failed', id, code: codeOf(error) });
  }
}

/** A process with nothing left open ends by itself then. */
function disconnect(): void {
  process.off('disconnect', exit);
  process.disconnect();
}

function exit(): never {
  process.exit();
}

// A node does not outlive the process that forked it, and leaves it to that one to react to Ctrl-C.
process.once('disconnect', exit);
process.on('SIGINT', () => {});
process.once('message', async (setup: NodeSetup) => {
  const node = await open(setup);
  process.on('message', (call: Call) => void answer(node, call));
  // Most nodes are killed, and would leave nothing for those that come after them.
  flushCompileCache();
  send({ kind: 'ready' });
});
