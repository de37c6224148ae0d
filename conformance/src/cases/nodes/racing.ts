import assert from 'node:assert/strict';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { MempoolStore, ReceiveOutcome } from 'mempool-core';
import { type Answer, type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { Random } from '../../case/random.ts';
import { observe } from '../../histories/observation.ts';
import { CallMaker, historyHashes } from '../../histories/pool-calls.ts';
import { historyOptions } from '../../histories/pool-history.ts';
import { type Lane, serialOrder } from '../../histories/serial.ts';
import { Model } from '../../model/model.ts';
import {
  block,
  eventsAfter,
  hashesOf,
  kindsOf,
  pendingOrder,
  point,
  receive,
  transactions,
} from '../../scenario/pool.ts';
import { type Nodes, openNodes } from './trio.ts';

const shared: readonly Need[] = ['shared'];
const processes: readonly Need[] = ['shared', 'child-process'];

/** Every node makes its calls one after the other, all nodes at the same time. */
function race(nodes: Nodes, calls: () => Call): Promise<Lane[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const lane: Lane[number][] = [];
      for (const call of [calls(), calls()]) lane.push({ call, answer: await perform(node, call) });
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
    model = await explained(context, random.pick(nodes), start, lanes, hashes);
  }
}

/** The model behind the calls, in an order that explains all there is to see. */
async function explained(
  context: CaseContext,
  node: MempoolStore,
  start: Model,
  lanes: readonly Lane[],
  hashes: readonly string[],
): Promise<Model> {
  const events = await eventsAfter(context, node, start.usage().lastEventSeq);
  const found = await observe(node, hashes);
  const explains = async (order: Model) => isDeepStrictEqual(await observe(order, hashes), found);
  const order = await serialOrder(start, lanes, events, explains);
  assert.ok(
    order,
    `no serial order of these calls explains what is there: ${inspect({ lanes, events }, { depth: 9 })}`,
  );
  return order;
}

/** Lets a child make calls of chance; returns them with their answers. */
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

const ownPoolsShared = mustEach({
  'N1/racing-verbs: random calls that race on several nodes have some serial order': (context) =>
    raceRounds(context, 40),
  'L2/racing-nodes: of several nodes that receive the same transactions, one has each received': async (context) => {
    const nodes = await openNodes(context);
    const batch = transactions(context.random, 60);
    const outcomes = await Promise.all(
      nodes.flatMap((node, i) => [...batch.slice(i * 20), ...batch.slice(0, i * 20)].map((one) => node.receive([one]))),
    );
    const received = outcomes.flat().filter(({ kind }) => kind === 'received');
    assert.deepEqual(hashesOf(received).sort(), hashesOf(batch).sort());
    assert.deepEqual(hashesOf(received.sort(bySeq)), await pendingOrder(nodes[0]));
  },
  'L3/racing-nodes: of several nodes that mark the same transactions, one moves each': async (context) => {
    const nodes = await openNodes(context);
    const hashes = hashesOf(await receive(context, nodes[0], 60));
    const moved = await Promise.all(
      nodes.flatMap((node) => [0, 20, 40].map((from) => node.markInflight(hashes.slice(from, from + 20)))),
    );
    assert.deepEqual(moved.flat().sort(), hashes.toSorted());
  },
  'X3/racing-nodes: of several nodes that apply the same block, one applies it': async (context) => {
    const nodes = await openNodes(context);
    const outcomes = await Promise.all(nodes.map((node) => block(node, 1)));
    assert.deepEqual(kindsOf(outcomes).sort(), ['applied', 'duplicate', 'duplicate']);
    assert.equal((await nodes[0].tip()).tick, 1);
  },
  'X3/racing-forks: of several blocks on one parent, one is applied': async (context) => {
    const nodes = await openNodes(context);
    await block(nodes[0], 1);
    const outcomes = await Promise.all(
      nodes.map((node, i) => node.confirm({ point: point(i + 2), parent: point(1).hash, seen: [], unseen: [] })),
    );
    assert.deepEqual(kindsOf(outcomes).sort(), ['applied', 'gap', 'gap']);
  },
  'X2/racing-nodes: calls with one operation id on several nodes are done once': async (context) => {
    const nodes = await openNodes(context);
    const batch = transactions(context.random, 5);
    const options = { operationId: 'one call' };
    const [first, ...others] = await Promise.all(nodes.map((node) => node.receive(batch, options)));
    for (const other of others) assert.deepEqual(other, first);
    assert.equal((await nodes[0].usage()).lastEventSeq, 5);
  },
}).map(needing(...shared));

const ownPoolsProcesses = mustEach({
  'N1/racing-processes: so have those of several processes': async (context) => {
    const hashes = historyHashes(context.random);
    const lanes = await Promise.all([1, 2].map(() => playLane(context, hashes, 60)));
    const node = await context.open(historyOptions);
    await explained(context, node, new Model(historyOptions), lanes, hashes);
  },
}).map(needing(...processes));

export const racingCases: readonly ConformanceCase[] = [...ownPoolsShared, ...ownPoolsProcesses];

function bySeq(a: ReceiveOutcome, b: ReceiveOutcome): number {
  return (a.kind === 'received' ? a.seq : 0) - (b.kind === 'received' ? b.seq : 0);
}
