import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { kindsOf } from '../../scenario/pool.ts';
import { account, type Draft, type Drafts, openScene, type Scene } from '../../scenario/priority.ts';

const tooMany = { kind: 'limit', limit: 'maxDescendants' } as const;
/** No newcomer evicts anything to make room in the pool. */
const kept = { eviction: 'none', maxEvictions: 0 } as const;

function needs(requires: readonly string[], priority = 0, more: Draft = {}): Draft {
  return { requires, priority: BigInt(priority), ...more };
}

/** A chain that begins at a tag: `c1` requires it, and each one requires the one before. */
function chain(tag: string, length: number, priority = 0): Drafts {
  const links = Array.from({ length }, (_, i): [string, Draft] => [
    `c${i + 1}`,
    needs([i === 0 ? tag : `${tag}${i}`], priority, { provides: [`${tag}${i + 1}`] }),
  ]);
  return Object.fromEntries(links);
}

async function receives(scene: Scene, name: string, draft: Draft): Promise<void> {
  const outcome = await scene.add(name, draft);
  assert.deepEqual([outcome.kind, 'parked' in outcome], ['received', false]);
}

const familyCases = eachRanked({
  'P22/long-chain: a chain of parked ones never keeps out its root, whatever they pay': async (context) => {
    const scene = await openScene(context);
    const outcomes = await scene.addAll(chain('r', 101, -1_000));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await receives(scene, 'root', { provides: ['r'], priority: 1_000_000n });
    assert.deepEqual([(await scene.load()).ready, await scene.reasons('c101')], [101, ['evicted']]);
    assert.deepEqual(await scene.stages('c100'), ['Pending']);
  },
  'P22/root-last: a chain comes in from its end as from its head, but for what is too deep': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2, ...kept });
    await scene.fill({ c3: account('s', 3), c2: account('s', 2), c1: account('s', 1) });
    const events = await scene.eventsOf(() => receives(scene, 'c0', { ...account('s', 0), protected: true }));
    assert.deepEqual(scene.names(events.map((event) => ('hash' in event ? event.hash : ''))), ['c3', 'c0', 'c2', 'c1']);
    assert.deepEqual([await scene.ready(), await scene.reasons('c3')], [['c0', 'c1', 'c2'], ['evicted']]);
  },
  'P22/joins-two-chains: of the parked ones below a newcomer those leave that are too deep, no others': async (
    context,
  ) => {
    const scene = await openScene(context, { maxAncestors: 3, ...kept });
    await scene.fill({ a: account('s', 0), b: account('s', 1), d: account('s', 3) });
    await scene.fill({ other: { provides: ['o'] }, e: { requires: ['s:3', 'o'], priority: 9n } });
    await receives(scene, 'c', account('s', 2));
    assert.deepEqual([await scene.ready(), await scene.reasons('e')], [['a', 'b', 'other', 'c', 'd'], ['evicted']]);
  },
  'P22/parked-middle: a newcomer that is parked is not kept out by what waits for it': async (context) => {
    const scene = await openScene(context, { maxAncestors: 1, maxDescendants: 1, ...kept });
    await scene.fill({ c2: needs(['r1'], 0, { provides: ['r2'] }), c3: needs(['r2']), d: needs(['x'], 5) });
    await scene.add('c1', needs(['r'], 0, { provides: ['r1', 'x'] }));
    assert.deepEqual(
      [await scene.parked(), await scene.reasons('c3', 'c2')],
      [
        ['d', 'c1'],
        ['evicted', 'evicted'],
      ],
    );
  },
  'P22/readers: as many wait for one missing tag as may depend on its provider, which comes in': async (context) => {
    const scene = await openScene(context);
    const readers = Array.from({ length: 1_000 }, (_, i): [string, Draft] => [`r${i}`, needs(['x'], i)]);
    const outcomes = await scene.addAll(Object.fromEntries(readers));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await scene.refuses('less', needs(['x'], -1), tooMany);
    await scene.fill({ more: needs(['x'], 1) });
    assert.deepEqual(await scene.reasons('r0'), ['evicted']);
    await receives(scene, 'provider', { provides: ['x'], priority: 1n });
    assert.equal((await scene.load()).ready, 1_001);
  },
  'P22/readers-over-the-limit: of too many parked ones below a newcomer the worst leave, whatever may be evicted':
    async (context) => {
      const scene = await openScene(context, { maxDescendants: 2, ...kept });
      await scene.fill({
        a: needs(['x'], 4, { sender: 'a' }),
        b: needs(['x'], 9),
        c: needs(['y'], 4, { sender: 'c' }),
      });
      await scene.fill({ d: needs(['y'], 4, { sender: 'c' }) });
      await receives(scene, 'provider', { provides: ['x', 'y'], priority: 1n });
      assert.deepEqual(
        [await scene.ready(), await scene.reasons('c', 'd')],
        [
          ['provider', 'a', 'b'],
          ['evicted', 'evicted'],
        ],
      );
    },
  'P22/by-what-they-paid: the worst below a newcomer are those that were the worst without it': async (context) => {
    const scene = await openScene(context, { maxDescendants: 2, ...kept });
    await scene.fill({ a: needs(['x'], 3), b: needs(['x'], 9), c: needs(['y'], 8) });
    await receives(scene, 'provider', { provides: ['x', 'y'], priority: -5n });
    assert.deepEqual(await scene.reasons('a'), ['evicted']);
  },
  'P22/below-a-leaver: what waits for one that leaves stays parked, and counts for its ancestors no longer': async (
    context,
  ) => {
    const scene = await openScene(context, { maxDescendants: 2, ...kept });
    await scene.fill({
      rest: needs(['y'], 1, { sender: 's' }),
      top: needs(['x'], 1, { provides: ['t'], sender: 's' }),
    });
    await scene.fill({ child: needs(['t'], 9, { sender: 'c' }), lower: needs(['t', 'y'], 8, { sender: 'd' }) });
    await receives(scene, 'provider', { provides: ['x', 'y'], priority: 1n });
    assert.deepEqual(await scene.reasons('top'), ['evicted']);
    assert.deepEqual(
      [await scene.ready(), await scene.parked()],
      [
        ['provider', 'rest'],
        ['child', 'lower'],
      ],
    );
  },
  'P22/protected-last: protected ones leave after the others, whatever they pay': async (context) => {
    const scene = await openScene(context, { maxDescendants: 2, ...kept });
    await scene.fill({ a: needs(['x'], -9, { protected: true }), b: needs(['x'], 9), c: needs(['y'], 8) });
    await scene.fill({ d: needs(['y'], -8, { protected: true }) });
    await receives(scene, 'provider', { provides: ['x', 'y'] });
    assert.deepEqual(
      [await scene.ready(), await scene.reasons('b', 'c')],
      [
        ['provider', 'd', 'a'],
        ['evicted', 'evicted'],
      ],
    );
  },
  'P22/below-an-ancestor: parked ones below its parents keep no ready newcomer out, ready ones do': async (context) => {
    const scene = await openScene(context, { maxDescendants: 2, ...kept });
    await scene.fill({ top: { provides: ['t'] }, parent: { provides: ['p'], requires: ['t'] } });
    await scene.fill({ parked: needs(['p', 'missing'], 900) });
    await receives(scene, 'child', needs(['p'], 1));
    assert.deepEqual([await scene.ready(), await scene.reasons('parked')], [['top', 'parent', 'child'], ['evicted']]);
    await scene.refuses('second', needs(['t'], 900), tooMany);
  },
  'P22/from-below: what leaves for a parent counts for its own parents too': async (context) => {
    const scene = await openScene(context, { maxDescendants: 3, ...kept });
    await scene.fill({ top: { provides: ['t'], priority: 99n }, parent: needs(['t'], 99, { provides: ['p'] }) });
    await scene.fill({ low: needs(['t', 'missing'], 1), high: needs(['p', 'missing'], 9) });
    await receives(scene, 'child', needs(['p'], 1));
    assert.deepEqual([await scene.reasons('low'), await scene.parked()], [['evicted'], ['high']]);
    await scene.store.setLimits({ maxDescendants: 2 });
    await scene.store.revise([{ hash: scene.hash('child'), version: 1, answer: needs(['p'], 2) }]);
    assert.deepEqual([await scene.reasons('high'), await scene.ready()], [['evicted'], ['top', 'parent', 'child']]);
  },
  'P22/one-of-the-parked: among the parked ones of an ancestor a parked newcomer takes the place of a worse one':
    async (context) => {
      const scene = await openScene(context, { maxDescendants: 2, maxEvictions: 1 });
      await scene.fill({ top: { provides: ['t'], priority: 99n }, a: needs(['t', 'missing'], 5, { sender: 'a' }) });
      await scene.fill({ b: needs(['t', 'other'], 5, { sender: 'a' }) });
      await scene.refuses('low', needs(['t', 'third'], 4), tooMany);
      await scene.refuses('equal', needs(['t', 'third'], 5, { sender: 'a' }), tooMany);
      await scene.fill({ fair: needs(['t', 'third'], 5) });
      assert.deepEqual([await scene.reasons('b'), await scene.parked()], [['evicted'], ['a', 'fair']]);
      await scene.store.setLimits({ maxDescendants: 1 });
      await scene.refuses('dear', needs(['t', 'third'], 9), tooMany);
      await scene.store.setLimits({ maxEvictions: 2, eviction: 'none' });
      await scene.refuses('dear', needs(['t', 'third'], 9), tooMany);
      await scene.store.setLimits({ eviction: 'lowest' });
      await scene.fill({ dear: needs(['t', 'third'], 9) });
      assert.deepEqual(await scene.parked(), ['dear']);
    },
  'P22/one-missing-tag: of those that wait for a missing tag the worst leaves, but no parent of the newcomer': async (
    context,
  ) => {
    const scene = await openScene(context, { maxDescendants: 2 });
    await scene.fill({ a: needs(['x'], 5, { provides: ['a'] }), b: needs(['x'], 3), held: needs(['y'], 1) });
    await scene.fill({ child: needs(['x', 'a'], 9, { sender: 'c' }) });
    assert.deepEqual([await scene.parked(), await scene.reasons('b')], [['a', 'held', 'child'], ['evicted']]);
    await scene.fill({ guarded: needs(['x'], -9, { protected: true }) });
    assert.deepEqual(await scene.reasons('child'), ['evicted']);
    await scene.refuses('rich', needs(['x'], 5), tooMany);
  },
  'P22/refused-after-all: one that is refused in the end has made nothing leave': async (context) => {
    const scene = await openScene(context, { maxDescendants: 1, maxTxs: 3, maxPerSender: 2, eviction: 'none' });
    await scene.fill({ a: needs(['x'], 1, { sender: 's' }), b: { priority: 1n, bytes: 30 }, c: { priority: 1n } });
    const full = { kind: 'full', floor: { kind: 'closed' } } as const;
    await scene.refuses('provider', { provides: ['x'], sender: 's' }, full);
    await scene.store.setLimits({ maxPerSender: 1, maxBytes: 70 });
    await scene.refuses('provider', { provides: ['x'], sender: 's', bytes: 21 }, full);
    await receives(scene, 'provider', { provides: ['x'], sender: 's', bytes: 20 });
  },
});

const senderCases = eachRanked({
  'P22/nonces-last-first: nonces that arrive last first keep no earlier one out': async (context) => {
    const scene = await openScene(context);
    for (let nonce = 65; nonce >= 2; nonce--) await scene.fill({ [`n${nonce}`]: account('s', nonce) });
    await scene.refuses('n1', account('s', 1), { kind: 'sender-limit', limit: 64 });
    await receives(scene, 'n0', account('s', 0));
    await receives(scene, 'n1', account('s', 1));
    assert.deepEqual([(await scene.load()).ready, await scene.reasons('n64', 'n65')], [64, ['evicted', 'evicted']]);
  },
  'P22/nonces-in-any-order: in whatever order nonces arrive, those come in that may': async (context) => {
    const scene = await openScene(context, { maxPerSender: 4, maxAncestors: 2, maxDescendants: 2, maxParked: 3 });
    const nonces = Array.from({ length: 8 }, (_, i) => ({ at: context.random.below(1_000), i }));
    const order = nonces.sort((a, b) => a.at - b.at).map(({ i }) => i);
    for (let round = 0; round < 8; round++) for (const i of order) await scene.add(`n${i}`, account('s', i));
    assert.deepEqual(await scene.ready(), ['n0', 'n1', 'n2']);
  },
  'P22/own-yield: a sender’s parked ones leave for its ready one, the worst first, protected ones last': async (
    context,
  ) => {
    const scene = await openScene(context, { maxPerSender: 4, ...kept });
    const own = (priority: number, more: Draft = {}): Draft => needs(['missing'], priority, { sender: 's', ...more });
    await scene.fill({ a: own(2), b: own(3), c: own(1, { protected: true }), d: { sender: 's' } });
    await scene.fill({ other: needs(['missing'], 0, { sender: 't' }) });
    await receives(scene, 'e', { sender: 's', priority: -9n });
    await receives(scene, 'f', { sender: 's', senderLimit: 3 });
    assert.deepEqual(await scene.reasons('a', 'b', 'c'), ['evicted', 'evicted', 'evicted']);
    assert.deepEqual(await scene.order(), ['d', 'f', 'e', 'other']);
    await scene.refuses('g', { sender: 's', senderLimit: 3 }, { kind: 'sender-limit', limit: 3 });
  },
  'P22/own-parked: a parked newcomer makes no room at its sender, nor does one below the floor': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1, minPriority: 0n });
    const refused = { kind: 'sender-limit', limit: 1 } as const;
    await scene.fill({ a: needs(['missing'], 1, { sender: 's' }) });
    await scene.refuses('b', needs(['other'], 9, { sender: 's' }), refused);
    await scene.refuses('b', { sender: 's', priority: -1n }, refused);
    await receives(scene, 'b', { sender: 's' });
  },
  'P22/own-in-flight: what is in flight or ready makes no room for its sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 3 });
    await scene.fill({ a: { sender: 's' }, b: { sender: 's' }, c: { sender: 's' } });
    await scene.mark('a', 'b');
    await scene.acknowledge('b');
    await scene.refuses('d', { sender: 's', priority: 9n }, { kind: 'sender-limit', limit: 3 });
  },
  'P22/of-another: the parked ones of another sender stay': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ theirs: account('s', 1), mine: { sender: 'me' } });
    await scene.refuses('zero', { ...account('s', 0), sender: 'me' }, { kind: 'sender-limit', limit: 1 });
  },
});

const laterCases = eachRanked({
  'P22/after-a-fork: a rollback drops nothing of what is over the limits; the next newcomer does': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2, maxDescendants: 2, ...kept });
    await scene.fill({ root: { provides: ['r'], priority: 9n } });
    await scene.block(1, { seen: ['root'] });
    await scene.fill({ c1: needs(['r', 'm'], 0, { provides: ['r1'] }), c2: needs(['r1'], 0, { provides: ['r2'] }) });
    await scene.fill({ c3: needs(['r2']), d: needs(['r', 'missing'], 5) });
    const events = await scene.eventsOf(() => scene.store.rollback('origin'));
    assert.deepEqual([events.length, await scene.parked()], [2, ['c1', 'c2', 'c3', 'd']]);
    await receives(scene, 'child', needs(['r'], 1));
    assert.deepEqual([await scene.ready(), await scene.parked()], [['root', 'child'], ['d']]);
  },
  'P11/room: a new verdict of a ready one makes room as a newcomer does, one that parks it does not': async (
    context,
  ) => {
    const scene = await openScene(context, { maxAncestors: 2, maxDescendants: 2, ...kept });
    const revise = async (requires: readonly string[], version: number): Promise<string> => {
      const answer = { provides: ['a'], requires };
      const [outcome] = await scene.store.revise([{ hash: scene.hash('a'), version, answer }]);
      return outcome?.kind ?? '';
    };
    await scene.fill({ top: { provides: ['t'] }, p: { provides: ['p'], requires: ['t'] }, a: { provides: ['a'] } });
    await scene.fill({ b: needs(['a', 'missing'], 0, { provides: ['b'] }), c: needs(['m'], 9) });
    assert.equal(await revise(['p'], 1), 'revised');
    assert.deepEqual([await scene.reasons('b'), await scene.parked()], [['evicted'], ['c']]);
    await scene.fill({ d: needs(['m'], -9), e: needs(['q'], -9) });
    assert.deepEqual([await revise(['m'], 2), await revise(['q'], 2)], ['limit', 'revised']);
  },
});

export const waitingRoomCases: readonly ConformanceCase[] = [...familyCases, ...senderCases, ...laterCases];
