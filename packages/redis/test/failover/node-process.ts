import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { FailoverRecorder } from 'mempool-conformance/failover';
import { type TipOptions, Watcher, type WatcherPool } from 'mempool-core';
import { createElection, type Election, type ElectionEvent, isElectionError, type Lease } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { block, numberOf } from './block.ts';
import { FedChain } from './fed-chain.ts';
import type { Call, ElectionSetup, NodeCalls, NodeEvent, NodeMessage, NodeSetup, Told } from './node-call.ts';
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
  const { url, keyPrefix } = setup;
  const election = createElection(recorder.provider(redisElection), { ...own, url, keyPrefix });
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
  return watcher;
}

/** Puts this process to sleep for real; the short wait lets the signal take effect before the statement after it. */
function sleepUntilContinued(): void {
  process.kill(process.pid, 'SIGSTOP');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

async function callsOf(setup: NodeSetup): Promise<NodeCalls> {
  const [first] = setup.elections;
  if (first === undefined) throw new Error('a node takes part in at least one election');
  const tell = tellAs(first.nodeId);
  const { poolUrl, keyPrefix } = setup;
  const store = await redis.open({ url: poolUrl, keyPrefix, timeoutMs: patienceMs });
  const recorders = setup.elections.map(({ nodeId }) => new FailoverRecorder(setup.record, nodeId));
  const elections = setup.elections.map((own, i) => electionOf(setup, own, recorders[i] as FailoverRecorder));
  const pool = { ...(recorders[0] as FailoverRecorder).pool(store), tip: (options?: TipOptions) => store.tip(options) };
  const election = elections[0] as Election;
  const chain = new FedChain();
  const watcher = setup.watcher ? watcherOf(election, pool, tell, chain) : null;
  let lease: Lease | null = null;
  election.on('acquired', ({ token, term }) => (lease = { nodeId: election.id, token, term }));
  const underLease = () => (lease === null ? {} : { lease });
  let confirming: Promise<void> | null = null;
  let moves = true;
  let isStopped = false;

  const confirmOn = async () => {
    for (let n = 0; confirming !== null; await delay(5)) {
      if (lease === null) continue;
      try {
        n = numberOf((await pool.tip()).point) ?? n;
        await pool.confirm(block(n + 1), {}, underLease());
      } catch {
        // Told by the recorder; the next turn is another attempt.
      }
    }
  };

  const begin = async (each: Election): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      try {
        return await each.start();
      } catch (error) {
        // A short lease leaves little time to connect in, and a loaded machine may need more.
        if (isStopped || !isElectionError(error, 'ERR_ELECTION_UNAVAILABLE') || performance.now() > deadline)
          throw error;
      }
    }
  };

  return {
    async start() {
      isStopped = false;
      await Promise.all(elections.map(begin));
      await watcher?.start();
    },
    async stop() {
      isStopped = true;
      await watcher?.stop();
      await Promise.all(elections.map((each) => each.stop()));
    },
    resign: () => election.resign(),
    status: () => ({
      isLeader: election.isLeader(),
      remainingMs: election.leadership?.remainingMs() ?? 0,
      state: election.state,
      term: election.term,
      leader: election.leader,
      lease,
    }),
    confirm: (n) => pool.confirm(block(n), {}, underLease()),
    async sleepThenConfirm(n) {
      const before = election.isLeader();
      sleepUntilContinued();
      const after = election.isLeader();
      return { before, after, outcome: await pool.confirm(block(n), {}, underLease()) };
    },
    confirmOn() {
      confirming = Promise.resolve();
      confirming = confirmOn();
    },
    async confirmNoMore() {
      const last = confirming;
      confirming = null;
      await last;
    },
    work() {
      election
        .runAsLeader(async (signal, _term, leadership) => {
          for (; !signal.aborted; await delay(20)) if (moves) leadership.reportProgress();
        })
        .catch((error: unknown) => tell({ kind: 'log', message: `work ended: ${codeOf(error)}` }));
    },
    standStill() {
      moves = false;
    },
    grow(steps) {
      for (const step of steps) chain.feed(step);
    },
  };
}

async function answer(calls: NodeCalls, { id, name, args }: Call): Promise<void> {
  try {
    // The parent pairs name and arguments by `NodeCalls`; across the process border that is lost.
    const value: unknown = await (calls[name] as (...args: unknown[]) => unknown)(...args);
    send({ kind: 'done', id, value });
  } catch (error) {
    send({ kind: 'failed', id, code: codeOf(error) });
  }
}

// A node does not outlive the test that forked it.
process.once('disconnect', () => process.exit());
process.once('message', async (setup: NodeSetup) => {
  const calls = await callsOf(setup);
  process.on('message', (call: Call) => void answer(calls, call));
  // Most nodes are killed, and would leave nothing for those that come after them.
  flushCompileCache();
  send({ kind: 'ready' });
});
