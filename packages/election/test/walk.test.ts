import { Random } from 'mempool-testkit';
import { afterEach, expect, it, vi } from 'vitest';
import type { ElectionEvent } from '../src/index.ts';
import { Cluster, type Node, OwnWall } from './cluster.ts';
import type { Fate } from './wire.ts';

const walks = 25;
const steps = 150;
const base = Number(process.env.MEMPOOL_ELECTION_SEED ?? Math.floor(Math.random() * 1e9));

interface Walker extends Node {
  readonly clock: OwnWall;
  running: boolean;
}

afterEach(() => void vi.restoreAllMocks());

it.each(Array.from({ length: walks }, (_, index) => base + index))(
  'whatever the network, the clocks and the nodes do, the invariants hold (MEMPOOL_ELECTION_SEED=%i)',
  async (seed) => {
    const chance = new Random(seed);
    const random = () => chance.uint32() / 2 ** 32;
    vi.spyOn(Math, 'random').mockImplementation(random);
    const cluster = new Cluster();
    const history: ElectionEvent[] = [];
    const walkers = Array.from({ length: 2 + Math.floor(random() * 4) }, (_, index) =>
      walker(cluster, index, random, history),
    );
    // In the very step of a win: between two looks of the test a leader may come and go.
    const crowded: string[][] = [];
    for (const { election } of walkers) {
      election.on('acquired', () => void (cluster.leaders.length > 1 && crowded.push(cluster.leaders)));
    }
    for (let step = 0; step < steps; step += 1) {
      const chosen = walkers[Math.floor(random() * walkers.length)];
      if (chosen !== undefined) act(chosen, random);
      await pass(cluster, random, walkers);
    }
    await recover(cluster, walkers);
    check(history, walkers);
    expect(crowded).toEqual([]);
  },
);

function walker(cluster: Cluster, index: number, random: () => number, history: ElectionEvent[]): Walker {
  const clock = new OwnWall(cluster.clock);
  const priority = Math.floor(random() * 3);
  const node = cluster.node({ nodeId: `n${index}`, ttlMs: 2_000, pollMs: 300, jitterMs: 25, priority, clock });
  for (const kind of ['acquired', 'lost'] as const) node.election.on(kind, (event) => void history.push(event));
  return { ...node, clock, running: false };
}

function act(walker: Walker, random: () => number): void {
  const { election, wire, clock } = walker;
  const fates: Fate[] = [
    'refused',
    'unheard',
    'hung',
    { afterMs: random() * 300 },
    { answeredAfterMs: random() * 1_000 },
    { afterMs: random() * 5_000 },
  ];
  const acts = [
    () => wire.decide(() => (random() < 0.5 ? 'served' : (fates[Math.floor(random() * fates.length)] ?? 'served'))),
    () => wire.set(fates[Math.floor(random() * fates.length)] ?? 'refused'),
    () => wire.heal(),
    () => wire.heal(),
    () => clock.set((random() - 0.5) * 10_000),
    () => void election.resign(),
    () => void election.campaign().catch(() => undefined),
    () => void (walker.running ? election.stop() : election.start()),
    () => void (walker.running ? undefined : election.start()),
  ];
  const chosen = Math.floor(random() * acts.length);
  acts[chosen]?.();
  if (chosen === 7) walker.running = !walker.running;
  if (chosen === 8) walker.running = true;
}

/** Some time, in small steps, or all at once with nothing running: a stalled process. */
async function pass({ clock }: Cluster, random: () => number, walkers: readonly Walker[]): Promise<void> {
  if (random() < 0.05) clock.stall(random() * 3_000);
  const untilMs = clock.monotonicMs() + random() * 1_500;
  while (clock.monotonicMs() < untilMs) {
    await clock.advance(Math.min(50, untilMs - clock.monotonicMs() + 1));
    const leaders = walkers.filter(({ election }) => election.isLeader());
    expect(leaders.length).toBeLessThan(2);
  }
}

/** With everything well again, one node leads before long. */
async function recover(cluster: Cluster, walkers: readonly Walker[]): Promise<void> {
  for (const { wire, election } of walkers) {
    wire.heal();
    void election.start();
  }
  await cluster.clock.advance(20_000);
  expect(cluster.leaders).toHaveLength(1);
  const stopped = walkers.map(({ election }) => election.stop());
  await cluster.clock.advance(5_000);
  await Promise.all(stopped);
  expect(cluster.leases.held('watcher')).toBeNull();
  expect(cluster.clock.pending).toBe(0);
}

/** Terms rise from win to win; to each win belongs one loss, told before the same node's next win. */
function check(history: readonly ElectionEvent[], walkers: readonly Walker[]): void {
  let highest = 0;
  for (const event of history) {
    if (event.kind !== 'acquired') continue;
    expect(event.term).toBeGreaterThan(highest);
    highest = event.term;
  }
  for (const { told, events } of walkers) {
    const own = events.filter(({ kind }) => kind === 'acquired' || kind === 'lost');
    expect(own.map(({ kind }) => kind)).toEqual(own.map((_, index) => (index % 2 === 0 ? 'acquired' : 'lost')));
    expect(told('lost').map(({ token }) => token)).toEqual(told('acquired').map(({ token }) => token));
  }
}
