import assert from 'node:assert/strict';
import type { CampaignReply, Hint, LeaseStore } from 'mempool-election';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { eachElect, eachOnElection, eachRow, mustElect, needing } from '../../case/must.ts';
import {
  lasting,
  longTtlMs,
  newCampaign,
  newCandidate,
  renewal,
  until,
  untilTrue,
  uuid,
  win,
} from '../../scenario/lease.ts';
import { kindsOf } from '../../scenario/pool.ts';
import { rejection } from '../../scenario/verb-call.ts';

const hinting: readonly Need[] = ['hints'];
const processes: readonly Need[] = ['processes', 'child-process'];
/** Long enough for a child that renews in time, short enough to wait for. */
const killedTtlMs = 4_000;

interface LeaseVerb {
  readonly verb: Exclude<keyof LeaseStore, 'close' | 'onHint'>;
  call(store: LeaseStore, context: CaseContext): Promise<unknown>;
}

const someone = { nodeId: 'node-a', address: null, priority: 0 };
const lease = ({ random }: CaseContext) => ({ nodeId: 'node-a', token: uuid(random), term: 5 });

const verbs: readonly LeaseVerb[] = [
  { verb: 'campaign', call: (store, { random }) => store.campaign(newCampaign(random)) },
  { verb: 'renew', call: (store, context) => store.renew(lease(context), renewal(someone)) },
  { verb: 'reinstate', call: (store, context) => store.reinstate(lease(context), renewal(someone)) },
  { verb: 'release', call: (store, context) => store.release(lease(context)) },
  { verb: 'observe', call: (store) => store.observe() },
  { verb: 'heartbeat', call: (store, { random }) => store.heartbeat(newCandidate(random), 1_000) },
  { verb: 'members', call: (store) => store.members() },
];

const closed = mustElect('LE6/closed', 'every verb on closed leases rejects, and does nothing', async (context) => {
  const [store, other] = [await context.leases(), await context.leases()];
  await store.close();
  await eachRow(
    verbs,
    ({ verb }) => verb,
    async ({ call }) => {
      await rejection(call(store, context));
      assert.deepEqual([await other.observe(), await other.members()], [{ lease: null, term: 0 }, []]);
    },
  );
});

const oneNodeProcesses = eachOnElection({
  'LE6/killed: the lease of a process that was killed is free after its time': async (store, context) => {
    const child = await context.fork('lead', newCampaign(context.random, { ttlMs: killedTtlMs }));
    const reply = (await child.message()) as CampaignReply;
    assert.ok(reply.kind === 'won');
    await child.message();
    assert.deepEqual((await store.observe()).lease?.token, reply.lease.token);
    await child.kill();
    const next = await until('another one wins', async () => {
      const campaign = await store.campaign(newCampaign(context.random));
      return campaign.kind === 'won' ? campaign.lease : null;
    });
    assert.ok(next.term > reply.lease.term);
  },
}).map(needing(...processes));

const handingOver: readonly ConformanceCase[] = [...oneNodeProcesses];

const racing: readonly ConformanceCase[] = eachElect({
  'LE6/racing-processes: when several processes campaign at once, exactly one wins': async (context) => {
    const children = await Promise.all([1, 2].map(() => context.fork('campaign', newCampaign(context.random))));
    for (const child of children) assert.equal(await child.message(), 'ready');
    for (const child of children) child.send('go');
    const replies = (await Promise.all(children.map((child) => child.message()))) as CampaignReply[];
    const tokens = new Set(replies.map((reply) => (reply.kind === 'forgotten' ? null : reply.lease.token)));
    assert.deepEqual([kindsOf(replies).sort(), tokens.size], [['held', 'won'], 1]);
  },
  'LE6/seen-by-a-process: the lease that one process won is seen, and renewed, by another': async (context) => {
    const child = await context.fork('lead', newCampaign(context.random, { ttlMs: longTtlMs }));
    const reply = (await child.message()) as CampaignReply;
    assert.ok(reply.kind === 'won');
    const store = await context.leases();
    assert.deepEqual(lasting((await store.observe()).lease), lasting(reply.lease));
    assert.equal((await store.campaign(newCampaign(context.random))).kind, 'held');
    assert.equal((await store.renew(reply.lease, renewal(reply.lease))).kind, 'renewed');
  },
}).map(needing(...processes));

const oneNode = eachOnElection({
  'LE6/close-twice: leases may be closed twice': async (store) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await rejection(store.observe());
  },
});

const ownNodes = eachElect({
  'LE6/close-one: closing one node’s leases leaves the others open': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    await store.close();
    const lease = await win(context, other);
    assert.deepEqual(lasting((await other.observe()).lease), lasting(lease));
  },
});

const ownNodesChildProcess = eachElect({
  'LE6/process-ends: after close nothing of the leases keeps the process alive': async (context) => {
    const child = await context.fork('finishLeases', newCampaign(context.random, { ttlMs: longTtlMs }));
    await child.exited();
  },
}).map(needing('child-process'));

const closing: readonly ConformanceCase[] = [closed, ...oneNode, ...ownNodes, ...ownNodesChildProcess];

/** The hints that a node gets from now on. */
function listen(store: LeaseStore): { readonly hints: Hint[]; readonly end: () => void } {
  const hints: Hint[] = [];
  return { hints, end: store.onHint((hint) => hints.push(hint)) };
}

/** How long each try waits: a hint takes a moment, and so does the start of a listener. */
const hintMs = 500;

async function heardSoon(hints: readonly Hint[], hint: Hint): Promise<void> {
  const end = performance.now() + hintMs;
  await untilTrue('the hint has come, or its time is over', () => hints.includes(hint) || performance.now() > end);
}

/** Wins and releases until the hint has come, a limited number of times. */
async function untilHeard(context: CaseContext, store: LeaseStore, hints: readonly Hint[], hint: Hint): Promise<void> {
  for (let tries = 0; tries < 5 && !hints.includes(hint); tries++) {
    const lease = await win(context, store);
    await heardSoon(hints, 'acquired');
    await store.release(lease);
    await heardSoon(hints, hint);
  }
  assert.ok(hints.includes(hint));
}

function hinted(hint: Hint, what: string): ConformanceCase {
  return mustElect(
    `LE5/${hint}`,
    `${what} is a hint for every other node`,
    async (context) => {
      const [store, other] = [await context.leases(), await context.leases()];
      const { hints } = listen(other);
      await untilHeard(context, store, hints, hint);
    },
    hinting,
  );
}

/** Nodes that lost a campaign to this lease wait for its end, however soon it comes. */
const brief: ConformanceCase = mustElect(
  'LE5/released-at-once',
  'a lease that is released as soon as it was won is a hint for every other node, too',
  async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const { hints } = listen(other);
    await untilHeard(context, store, hints, 'released');
    hints.length = 0;
    for (let tries = 0; tries < 5 && !hints.includes('released'); tries++) {
      await store.release(await win(context, store));
      await heardSoon(hints, 'released');
    }
    assert.ok(hints.includes('released'));
  },
  hinting,
);

const ownNodesHinting = eachElect({
  'LE5/ended: a listener that was ended hears nothing more, the others do': async (context) => {
    const [store, other] = [await context.leases(), await context.leases()];
    const [ended, heard] = [listen(other), listen(other)];
    ended.end();
    await untilHeard(context, store, heard.hints, 'released');
    assert.deepEqual(ended.hints, []);
  },
}).map(needing(...hinting));

/** Cases of LE5: hints. */
export const hintCases: readonly ConformanceCase[] = [
  hinted('acquired', 'a win'),
  hinted('released', 'a release'),
  brief,
  ...ownNodesHinting,
];

/** Cases of LE6: handing over a lease, and closing its store. */
export const leaseEndingCases: readonly ConformanceCase[] = [...handingOver, ...racing, ...closing];
