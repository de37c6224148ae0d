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
  ['priority', { priority: 1, observer: true }],
  ['observer', { observer: 1 as never }],
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

const refused = (field: string) => expect.objectContaining({ code: 'ERR_ELECTION_OPTION', field });
const none = null as unknown as never;

it('refuses what is no provider and no options, by name', () => {
  expect(() => createElection(none, {})).toThrow(refused('provider'));
  expect(() => createElection({ type: 'x' } as never, {})).toThrow(refused('provider.open'));
  for (const options of [null, undefined, 5, 'watcher'])
    expect(() => createElection(inProcessElection, options as never)).toThrow(refused('options'));
  expect(() => new ElectionFactory().create(none)).toThrow(refused('options'));
  expect(() => new ElectionFactory().register(none)).toThrow(refused('provider'));
});

it.each(['ttlms', 'constructor', '__proto__', 'path', 'x'.repeat(1_048_576)])(
  'refuses an option that there is not, and says which there are: %.20s',
  (name) => {
    const options = Object.fromEntries([
      ['leases', leases],
      [name, 5],
    ]) as { leases: Leases };
    const make = () => createElection(inProcessElection, options);
    expect(make).toThrow(refused(name.length > 100 ? `${'x'.repeat(100)}…` : name));
    expect(make).toThrow(/known: name, nodeId, ttlMs, .*leases$/);
    expect(make).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{1,400}$/) }));
  },
);

it('leaves options to a provider that names none, and those that are undefined to nobody', () => {
  const own = { type: 'own', open: inProcessElection.open };
  expect(() => createElection(own, { leases, theirs: 1 } as { leases: Leases })).not.toThrow();
  expect(() => createElection(inProcessElection, { leases, theirs: undefined } as { leases: Leases })).not.toThrow();
});

it('refuses bad arguments of its verbs by name', async () => {
  await using election = createElection(inProcessElection, { leases, name: 'verbs', jitterMs: 0 });
  await election.start();
  for (const [field, options] of [
    ['options', null],
    ['signal', { signal: {} }],
    ['signal', { signal: 'now' }],
    ['sgnal', { sgnal: new AbortController().signal }],
  ] as [string, never][]) {
    expect(() => election.events(options)).toThrow(refused(field));
    expect(() => election.observe(options)).toThrow(refused(field));
    await expect(election.runAsLeader(() => 1, options)).rejects.toThrow(refused(field));
  }
  await expect(election.runAsLeader(none)).rejects.toThrow(refused('work'));
  for (const term of [null, undefined, '1', 0.5])
    await expect(election.depose(term as never)).rejects.toThrow(refused('term'));
  expect(() => election.on('won' as never, () => undefined)).toThrow(refused('kind'));
  expect(() => election.on('toString' as never, () => undefined)).toThrow(refused('kind'));
  expect(() => election.on('acquired', none)).toThrow(refused('listener'));
});

it('takes a signal that is null for none', async () => {
  await using election = createElection(inProcessElection, { leases, name: 'null', jitterMs: 0 });
  const events = election.events({ signal: none })[Symbol.asyncIterator]();
  const leaders = election.observe({ signal: none })[Symbol.asyncIterator]();
  expect(await leaders.next()).toEqual({ done: false, value: null });
  await election.start();
  expect(await election.runAsLeader(() => 7, { signal: none })).toBe(7);
  expect((await events.next()).done).toBe(false);
});
