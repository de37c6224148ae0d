import assert from 'node:assert/strict';
import type { Call } from '../../case/call.ts';
import type { ConformanceCase, Need } from '../../case/case.ts';
import { eachOnPool, mustEach, needing } from '../../case/must.ts';
import { observeWhole } from '../../histories/observation.ts';
import {
  block,
  eventsAfter,
  finalizeIn,
  hashesOf,
  pendingOrder,
  receive,
  receiveOne,
  stagesOf,
  take,
  transactions,
} from '../../scenario/pool.ts';
import { openNodes } from './trio.ts';

const shared: readonly Need[] = ['shared'];
const processes: readonly Need[] = ['shared', 'child-process'];

const ownPoolsSharedNodeCases = mustEach({
  'N1/read-at-once: what one node was answered, every other node reads from then on': async (context) => {
    const [a, b] = await openNodes(context);
    for (let n = 1; n <= 20; n++) {
      const hash = await receiveOne(context, a);
      assert.deepEqual(await stagesOf(b, [hash]), ['Pending']);
      await b.markInflight([hash]);
      assert.deepEqual(await stagesOf(a, [hash]), ['Propagated']);
    }
  },
  'N1/late-node: a node that comes later finds all of it': async (context) => {
    const first = await context.open();
    const [a, b] = hashesOf(await receive(context, first, 2)) as [string, string];
    await block(first, 1, { seen: [a] });
    await finalizeIn(first, 2, [b]);
    const late = await context.open();
    assert.deepEqual(await observeWhole(late, [a, b]), await observeWhole(first, [a, b]));
  },
  'N1/close-one: a node that closes takes nothing from the others': async (context) => {
    const [a, b] = await openNodes(context);
    const hash = await receiveOne(context, a);
    await a.close();
    assert.deepEqual(await b.markInflight([hash]), [hash]);
    assert.deepEqual(await stagesOf(b, [hash]), ['Propagated']);
  },
  'L6/own-thresholds: a block is judged by the thresholds of the node that applies it': async (context) => {
    const patient = await context.open({ finalizeThreshold: 9 });
    const hasty = await context.open({ finalizeThreshold: 2 });
    const hash = await receiveOne(context, patient);
    await block(patient, 1, { seen: [hash] });
    await block(patient, 2);
    assert.deepEqual(await stagesOf(hasty, [hash]), ['Confirmed']);
    await block(hasty, 3);
    assert.deepEqual(await stagesOf(patient, [hash]), ['Finalized']);
  },
  'O4/latest-node-sets: the latest open that names a limit sets it for every node': async (context) => {
    const first = await context.open({ maxFinalized: 9 });
    await context.open({ maxFinalized: 2 });
    await context.open();
    await finalizeIn(first, 1, hashesOf(await receive(context, first, 5)));
    assert.equal((await first.usage()).logged, 2);
  },
}).map(needing(...shared));

const onePoolProcessesNodeCases = eachOnPool({
  'N1/killed-node: a killed node takes nothing from the others and does not hold them up': async (store, context) => {
    const ours: string[] = [];
    for (let kill = 0; kill < 4; kill++) {
      const theirs = Array.from({ length: 100 }, () => transactions(context.random, 3));
      const child = await context.fork('play', {
        calls: theirs.map((batch) => ({ verb: 'receive', args: [batch] })),
      });
      const answered = 5 + 3 * context.random.below(4);
      for (let n = 0; n < answered; n++) {
        await child.message();
        if (n % 3 === 0) ours.push(await receiveOne(context, store));
        else await pendingOrder(store);
      }
      await child.kill();
      ours.push(await receiveOne(context, store));
      const there = (await stagesOf(store, hashesOf(theirs.flat()))).filter((stage) => stage === 'Pending').length;
      assert.ok(there >= 3 * answered && there % 3 === 0, 'answered calls are there, and no half of another');
    }
    assert.deepEqual(new Set(await stagesOf(store, ours)), new Set(['Pending']));
  },
}).map(needing(...processes));

export const nodeCases: readonly ConformanceCase[] = [...ownPoolsSharedNodeCases, ...onePoolProcessesNodeCases];

const ownPoolsShared = mustEach({
  'E4/every-node: every node sees the events of every node, with the same numbers': async (context) => {
    const nodes = await openNodes(context);
    const streams = await Promise.all(nodes.map((node) => node.subscribe({ signal: context.signal })));
    const hashes = hashesOf(await receive(context, nodes[0], 3));
    await nodes[1].markInflight(hashes);
    await block(nodes[2], 1, { seen: hashes });
    const [first, ...others] = await Promise.all(streams.map((stream) => take(stream, 10)));
    assert.deepEqual(first, await eventsAfter(context, nodes[0]));
    for (const other of others) assert.deepEqual(other, first);
  },
  'E4/racing-nodes: while several nodes write, every reader gets every event once and in order': async (context) => {
    const nodes = await openNodes(context);
    const streams = await Promise.all(nodes.map((node) => node.subscribe({ signal: context.signal })));
    const reading = Promise.all(streams.map((stream) => take(stream, 90)));
    await Promise.all(nodes.flatMap((node) => transactions(context.random, 30).map((one) => node.receive([one]))));
    for (const events of await reading)
      assert.deepEqual(
        events.map((event) => event.kind !== 'lagged' && event.eventSeq),
        Array.from({ length: 90 }, (_, i) => i + 1),
      );
  },
  'E3/resume-on-another-node: a reader resumes on another node where it stopped on the first': async (context) => {
    const [a, b] = await openNodes(context);
    await receive(context, a, 4);
    const before = await take(await a.subscribe({ after: 0, signal: context.signal }), 2);
    await receive(context, b, 4);
    const after = await take(await b.subscribe({ after: 2, signal: context.signal }), 6);
    assert.deepEqual([...before, ...after], await eventsAfter(context, a));
  },
}).map(needing(...shared));

const onePoolProcesses = eachOnPool({
  'E4/to-another-process: a node in another process sees the events as they are made': async (store, context) => {
    const child = await context.fork('watch', {});
    assert.equal(await child.message(), 'ready');
    const told: unknown[] = [];
    for (let n = 1; n <= 5; n++) {
      await block(store, n);
      told.push(await child.message());
    }
    assert.deepEqual(told, await eventsAfter(context, store));
  },
  'E4/from-another-process: the events of a node in another process arrive here': async (store, context) => {
    const stream = await store.subscribe({ signal: context.signal });
    const batch = transactions(context.random, 20);
    const calls = batch.map((one): Call => ({ verb: 'receive', args: [[one]] }));
    const child = await context.fork('play', { calls });
    for (const _ of calls) await child.message();
    assert.deepEqual(
      hashesOf((await take(stream, 20)).filter((event) => event.kind === 'transaction')),
      hashesOf(batch),
    );
  },
}).map(needing(...processes));

export const nodeEventCases: readonly ConformanceCase[] = [...ownPoolsShared, ...onePoolProcesses];
