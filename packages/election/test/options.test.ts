import { expect, it } from 'vitest';
import { createElection, ElectionFactory, type ElectionOptions, inProcessElection, Leases } from '../src/index.ts';

const leases = new Leases();
const broken: readonly [field: string, options: object][] = [
  ['name', { name: '' }],
  ['name', { name: 'Watcher' }],
  ['name', { name: 'x'.repeat(65) }],
  ['nodeId', { nodeId: 'a b' }],
  ['nodeId', { nodeId: 'x'.repeat(129) }],
  ['ttlMs', { ttlMs: 249 }],
  ['ttlMs', { ttlMs: Number.NaN }],
  ['ttlMs', { ttlMs: '10000' }],
  ['renewMs', { renewMs: 0 }],
  ['renewMs', { ttlMs: 1_000, renewMs: 929 }],
  ['heartbeatMs', { heartbeatMs: 10_001 }],
  ['pollMs', { pollMs: 5_001 }],
  ['pollMs', { pollMs: 0.5 }],
  ['staleHeartbeatMs', { staleHeartbeatMs: 9_999 }],
  ['startDelayMs', { startDelayMs: -1 }],
  ['jitterMs', { jitterMs: Number.POSITIVE_INFINITY }],
  ['address', { address: 7 }],
  ['priority', { priority: 101 }],
  ['priority', { priority: 0.5 }],
  ['progressTimeoutMs', { progressTimeoutMs: 0 }],
  ['clock', { clock: {} }],
  ['log', { log: 'console' }],
  ...[
    'ttlMs',
    'renewMs',
    'heartbeatMs',
    'pollMs',
    'staleHeartbeatMs',
    'startDelayMs',
    'jitterMs',
    'progressTimeoutMs',
  ].map((field): [string, object] => [field, { [field]: 2 ** 31 }]),
];

it.each(broken)('a wrong %s is refused at construction, by its name: %j', (field, options) => {
  const make = () => createElection(inProcessElection, { leases, ...(options as ElectionOptions) });
  expect(make).toThrow(expect.objectContaining({ code: 'ERR_ELECTION_OPTION', field }));
});

it('the largest and smallest values of every option are taken', () => {
  const least = { ttlMs: 250, renewMs: 1, heartbeatMs: 1, pollMs: 1, startDelayMs: 0, jitterMs: 0, priority: 0 };
  const most = { ttlMs: 1_000, renewMs: 928, heartbeatMs: 1_000, pollMs: 500, priority: 100, name: 'x'.repeat(64) };
  for (const options of [{}, least, most, { staleHeartbeatMs: false, progressTimeoutMs: false }] as const) {
    expect(() => createElection(inProcessElection, { leases, ...options })).not.toThrow();
  }
});

it('a node without an id gets one of its own', () => {
  const [a, b] = [createElection(inProcessElection, { leases }), createElection(inProcessElection, { leases })];
  expect(a.id).not.toBe(b.id);
  expect(a.name).toBe('watcher');
});

it("a provider's own option is checked when it is opened", async () => {
  const election = createElection(inProcessElection, { leases: {} as Leases });
  await expect(election.start()).rejects.toMatchObject({ code: 'ERR_ELECTION_OPTION', field: 'leases' });
});

it('a factory makes an election by the type of its provider, and says which types it knows', async () => {
  const factory = new ElectionFactory().register(inProcessElection);
  await using election = factory.create({ type: 'in-process', leases, name: 'factory', nodeId: 'a', jitterMs: 0 });
  await election.start();
  await election.campaign();
  expect(leases.held('factory')?.nodeId).toBe('a');
  const unknown = () => factory.create({ type: 'zookeeper' });
  expect(unknown).toThrow(expect.objectContaining({ code: 'ERR_ELECTION_UNKNOWN_TYPE' }));
  expect(unknown).toThrow(/in-process/);
  expect(() => factory.register(inProcessElection)).toThrow(expect.objectContaining({ field: 'type' }));
});

it('elections of different names are nothing to each other', async () => {
  await using one = createElection(inProcessElection, { leases, name: 'one', jitterMs: 0 });
  await using other = createElection(inProcessElection, { leases, name: 'other', jitterMs: 0 });
  await Promise.all([one.start(), other.start()]);
  expect(await Promise.all([one.campaign(), other.campaign()])).toEqual([true, true]);
});
