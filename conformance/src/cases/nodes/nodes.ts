import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { MempoolEvent, ReceiveOutcome } from 'mempool-core';
import { type Answer, type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { Random } from '../../case/random.ts';
import { observe, observeWhole } from '../../histories/observation.ts';
import { CallMaker, historyHashes, historyOptions } from '../../histories/pool-calls.ts';
import { type Lane, serialOrder } from '../../histories/serial.ts';
import { Model } from '../../model/model.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { contentOf, hashesOf, kindsOf, type Pool, point, take, timeless, transactions } from '../../scenario/pool.ts';

const shared: readonly Need[] = ['shared'];
const processes: readonly Need[] = ['shared', 'child-process'];

const ownPoolsSharedNodeCases = mustEach({
  'N1/read-at-once: once one node has its answer, every other node reads the change': async (context) => {
    const [a, b] = await openNodes(context);
    for (let n = 1; n <= 20; n++) {
      const hash = await a.receiveOne();
      assert.deepEqual(await b.stages(hash), ['Pending']);
      await b.mark(hash);
      assert.deepEqual(await a.stages(hash), ['Propagated']);
    }
  },
  'N1/late-node: a node that opens later finds everything': async (context) => {
    const first = await openPool(context);
    const [a, b] = await first.receiveHashes(2);
    await first.block(1, { seen: [a] });
    await first.finalizeIn(2, b);
    const late = await openPool(context);
    assert.deepEqual(await observeWhole(late.store, [a, b]), await observeWhole(first.store, [a, b]));
  },
  'N1/close-one: a node that closes takes nothing from the others': async (context) => {
    const [a, b] = await openNodes(context);
    const hash = await a.receiveOne();
    await a.store.close();
    assert.deepEqual(await b.mark(hash), [hash]);
    assert.deepEqual(await b.stages(hash), ['Propagated']);
  },
  'L6/own-thresholds: a block is judged by the thresholds of the node that applies it': async (context) => {
    const patient = await openPool(context, { finalizeThreshold: 9 });
    const hasty = await openPool(context, { finalizeThreshold: 2 });
    const hash = await patient.receiveOne();
    await patient.block(1, { seen: [hash] });
    await patient.block(2);
    assert.deepEqual(await hasty.stages(hash), ['Confirmed']);
    await hasty.block(3);
    assert.deepEqual(await patient.stages(hash), ['Finalized']);
  },
  'O4/latest-node-sets: the latest open that sets a limit sets it for every node': async (context) => {
    const first = await openPool(context, { maxFinalized: 9 });
    await context.open({ maxFinalized: 2 });
    await context.open();
    await first.finalizeIn(1, ...(await first.receiveHashes(5)));
    assert.equal((await first.store.usage()).logged, 2);
  },
}).map(needing(...shared));

const onePoolProcessesNodeCases = eachOnPool({
  'N1/killed-node: a killed node takes nothing from the others and does not hold them up': async (pool) => {
    const ours: string[] = [];
    for (let kill = 0; kill < 4; kill++) {
      const theirs = Array.from({ length: 100 }, () => pool.transactions(3));
      const child = await pool.context.fork('play', {
        calls: theirs.map((batch) => ({ verb: 'receive', args: [batch] })),
      });
      const answered = 5 + 3 * pool.random.below(4);
      for (let n = 0; n < answered; n++) {
        await child.message();
        if (n % 3 === 0) ours.push(await pool.receiveOne());
        else await pool.pending();
      }
      await child.kill();
      ours.push(await pool.receiveOne());
      const there = (await pool.stages(...hashesOf(theirs.flat()))).filter((stage) => stage === 'Pending').length;
      assert.ok(there >= 3 * answered && there % 3 === 0, 'answered calls are there, and no half of another');
    }
    assert.deepEqual(new Set(await pool.stages(...ours)), new Set(['Pending']));
  },
}).map(needing(...processes));

export const nodeCases: readonly ConformanceCase[] = [...ownPoolsSharedNodeCases, ...onePoolProcessesNodeCases];

const ownPoolsShared = mustEach({
  'E4/every-node: every node sees the events of every node, with the same numbers': async (context) => {
    const nodes = await openNodes(context);
    const streams = await Promise.all(nodes.map((node) => node.subscribe()));
    const hashes = await nodes[0].receiveHashes(3);
    await nodes[1].mark(...hashes);
    await nodes[2].block(1, { seen: hashes });
    const [first, ...others] = await Promise.all(streams.map((stream) => take(stream, 10)));
    assert.deepEqual(first?.map(contentOf), await nodes[0].events());
    for (const other of others) assert.deepEqual(other, first);
  },
  'E4/racing-nodes: while several nodes write, every reader gets every event once and in order': async (context) => {
    const nodes = await openNodes(context);
    const streams = await Promise.all(nodes.map((node) => node.subscribe()));
    const reading = Promise.all(streams.map((stream) => take(stream, 90)));
    await Promise.all(
      nodes.flatMap((node) => transactions(context.random, 30).map((one) => node.store.receive([one]))),
    );
    for (const events of await reading)
      assert.deepEqual(
        events.map((event) => event.kind !== 'lagged' && event.eventSeq),
        Array.from({ length: 90 }, (_, i) => i + 1),
      );
  },
  'E3/resume-on-another-node: a reader resumes on another node where it stopped on the first': async (context) => {
    const [a, b] = await openNodes(context);
    await a.receive(4);
    const before = await take(await a.subscribe({ after: 'origin' }), 2);
    await b.receive(4);
    const after = await take(await b.subscribe({ after: before[1]?.cursor }), 6);
    assert.deepEqual([...before, ...after].map(contentOf), await a.events());
  },
}).map(needing(...shared));

const onePoolProcesses = eachOnPool({
  'E4/to-another-process: a node in another process sees the events as they are made': async (pool) => {
    const child = await pool.context.fork('watch', {});
    assert.equal(await child.message(), 'ready');
    const told: MempoolEvent[] = [];
    for (let n = 1; n <= 5; n++) {
      await pool.block(n);
      told.push((await child.message()) as MempoolEvent);
    }
    assert.deepEqual(told.map(contentOf), await pool.events());
  },
  'E4/from-another-process: the events of a node in another process arrive here': async (pool) => {
    const stream = await pool.subscribe();
    const batch = pool.transactions(20);
    const calls = batch.map((one): Call => ({ verb: 'receive', args: [[one]] }));
    const child = await pool.context.fork('play', { calls });
    for (const _ of calls) await child.message();
    assert.deepEqual(
      hashesOf((await take(stream, 20)).filter((event) => event.kind === 'transaction')),
      hashesOf(batch),
    );
  },
}).map(needing(...processes));

export const nodeEventCases: readonly ConformanceCase[] = [...ownPoolsShared, ...onePoolProcesses];

type Nodes = readonly [Pool, Pool, Pool];

function openNodes(context: CaseContext): Promise<Nodes> {
  const open = () => openPool(context, historyOptions);
  return Promise.all([open(), open(), open()]);
}

/** Each node makes its calls one after the other; all nodes work at the same time. */
function race(nodes: Nodes, calls: () => Call): Promise<Lane[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const lane: Lane[number][] = [];
      for (const call of [calls(), calls()]) lane.push({ call, answer: await perform(node.store, call) });
      return lane;
    }),
  );
}

async function raceRounds(context: CaseContext, rounds: number): Promise<void> {
  const { random } = context;
  const nodes = await openNodes(context);
  const hashes = historyHashes(random);
  const maker = new CallMaker(random, hashes);
  let model = new Model(historyOptions);
  for (let round = 0; round < rounds; round++) {
    const start: Model = model;
    const lanes = await race(nodes, () => maker.next(start));
    model = await explained(random.pick(nodes), start, lanes, hashes);
  }
}

/** The model after the calls, in a serial order that explains all answers, events and reads. */
async function explained(node: Pool, start: Model, lanes: readonly Lane[], hashes: readonly string[]): Promise<Model> {
  const events = await node.events(start.usage().lastEventSeq);
  const found = timeless(await observe(node.store, hashes));
  const explains = async (order: Model) => isDeepStrictEqual(timeless(await observe(order, hashes)), found);
  const order = await serialOrder(start, lanes, timeless(events), explains);
  assert.ok(
    order,
    `no serial order of these calls explains what is there: ${inspect({ lanes, events }, { depth: 9 })}`,
  );
  return order;
}

/** Lets a child make random calls; returns them with their answers. */
async function playLane(context: CaseContext, hashes: readonly string[], count: number): Promise<Lane> {
  const maker = new CallMaker(new Random(context.random.uint32()), hashes);
  const model = new Model(historyOptions);
  const calls: Call[] = [];
  while (calls.length < count) {
    const call = maker.next(model);
    calls.push(call);
    await perform(model, call);
  }
  const child = await context.fork('play', { calls, options: historyOptions });
  const lane: Lane[number][] = [];
  for (const call of calls) lane.push({ call, answer: (await child.message()) as Answer });
  return lane;
}

const racingOwnPoolsShared = mustEach({
  'N1/racing-verbs: some serial order explains random calls that race on several nodes': (context) =>
    raceRounds(context, 40),
  'L2/racing-nodes: if several nodes receive the same transactions, each is received on one node': async (context) => {
    const nodes = await openNodes(context);
    const batch = transactions(context.random, 60);
    const outcomes = await Promise.all(
      nodes.flatMap((node, i) =>
        [...batch.slice(i * 20), ...batch.slice(0, i * 20)].map((one) => node.store.receive([one])),
      ),
    );
    const received = outcomes.flat().filter(({ kind }) => kind === 'received');
    assert.deepEqual(hashesOf(received).sort(), hashesOf(batch).sort());
    assert.deepEqual(hashesOf(received.sort(bySeq)), await nodes[0].pending());
  },
  'L3/racing-nodes: if several nodes mark the same transactions, each is moved by one node': async (context) => {
    const nodes = await openNodes(context);
    const hashes = await nodes[0].receiveHashes(60);
    const moved = await Promise.all(
      nodes.flatMap((node) => [0, 20, 40].map((from) => node.mark(...hashes.slice(from, from + 20)))),
    );
    assert.deepEqual(moved.flat().sort(), hashes.toSorted());
  },
  'X3/racing-nodes: if several nodes apply the same block, one applies it': async (context) => {
    const nodes = await openNodes(context);
    const outcomes = await Promise.all(nodes.map((node) => node.block(1)));
    assert.deepEqual(kindsOf(outcomes).sort(), ['applied', 'duplicate', 'duplicate']);
    assert.equal((await nodes[0].store.tip()).tick, 1);
  },
  'X3/racing-forks: if several blocks on one parent race, one is applied': async (context) => {
    const nodes = await openNodes(context);
    await nodes[0].block(1);
    const outcomes = await Promise.all(
      nodes.map((node, i) => node.store.confirm({ point: point(i + 2), parent: point(1).hash, seen: [], unseen: [] })),
    );
    assert.deepEqual(kindsOf(outcomes).sort(), ['applied', 'gap', 'gap']);
  },
  'X2/racing-nodes: calls with one operation id on several nodes are carried out once': async (context) => {
    const nodes = await openNodes(context);
    const batch = transactions(context.random, 5);
    const options = { operationId: 'one call' };
    const [first, ...others] = await Promise.all(nodes.map((node) => node.store.receive(batch, options)));
    for (const other of others) assert.deepEqual(other, first);
    assert.equal((await nodes[0].store.usage()).lastEventSeq, 5);
  },
}).map(needing(...shared));

const ownPoolsProcesses = mustEach({
  'N1/racing-processes: some serial order explains random calls of several processes': async (context) => {
    const hashes = historyHashes(context.random);
    const lanes = await Promise.all([1, 2].map(() => playLane(context, hashes, 60)));
    const node = await openPool(context, historyOptions);
    await explained(node, new Model(historyOptions), lanes, hashes);
  },
}).map(needing(...processes));

export const racingCases: readonly ConformanceCase[] = [...racingOwnPoolsShared, ...ownPoolsProcesses];

function bySeq(a: ReceiveOutcome, b: ReceiveOutcome): number {
  return (a.kind === 'received' ? a.seq : 0) - (b.kind === 'received' ? b.seq : 0);
}
