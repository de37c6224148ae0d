import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import { exported, filled, isUnfinished, isWrongLine, many, timeless, until } from '../../histories/exported-lines.ts';
import { untilMs } from '../../scenario/kill.ts';
import { openOther, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, point } from '../../scenario/pool.ts';
import { textsOf } from '../../scenario/records.ts';

const whole = mustEach({
  'D3/unfinished: until the last line is stored, every other verb is refused': async (context) => {
    const source = await openPool(context);
    await filled(source);
    const lines = await exported(source.store);
    const { store } = await openOther(context);
    await assert.rejects(store.import(until(lines, 800)), RangeError);
    const [hash] = await source.pending();
    const calls = [
      () => store.receive([{ hash: 'ab', payload: new Uint8Array() }]),
      () => store.usage(),
      () => store.tip(),
      () => store.peekPending(),
      () => store.peekInflight(),
      () => store.peekParked(),
      () => store.status([hash ?? '']),
      () => store.payloads([hash ?? '']),
      () => store.dumpFinalized(),
      () => store.take({}, { owner: 'a', claimMs: 1 }),
      () => store.drop([hash ?? ''], { app: 'gone' }),
      () => store.markInflight([hash ?? '']),
      () => store.sweep(),
      () => store.flush(),
      () => store.since(),
      () => store.setLimits({ maxTxs: 1 }),
      () => store.confirm({ point: point(1), seen: [], unseen: [] }),
      () => store.rollback('origin'),
      () => store.getRecord('a'),
      () => store.listRecords(''),
      () => store.putRecord('a', new Uint8Array()),
      () => exported(store),
    ];
    for (const call of calls) await assert.rejects(call(), isUnfinished, String(call));
    assert.equal((await store.import(lines)).kind, 'imported');
    assertSame(await poolState(store), await poolState(source.store), 'the imported pool is another');
  },
  'D3/repeated: a repeat goes on where the import stopped; another file is refused, before and after the end': async (
    context,
  ) => {
    const source = await openPool(context);
    await filled(source);
    const [lines, others] = [await exported(source.store), await exported(source.store)];
    const { store } = await openOther(context);
    let reached = 0;
    for (const count of [1, 2, 700, 700, lines.length - 1]) {
      const progress: number[] = [];
      const onProgress = (now: { readonly lines: number }): number => progress.push(now.lines);
      await assert.rejects(store.import(until(lines, count), { onProgress }), RangeError);
      assert.ok((progress[0] ?? 0) >= reached, 'the import did not go on where it stopped');
      reached = progress.at(-1) ?? 0;
      assert.deepEqual(await store.import(others), { kind: 'other-file' });
    }
    assert.ok(reached > 1_000);
    for (let i = 0; i < 2; i++) assert.equal((await store.import(lines)).kind, 'imported');
    assert.deepEqual(await store.import(others), { kind: 'not-empty' });
    assertSame(await poolState(store), await poolState(source.store), 'the imported pool is another');
  },
  'D3/lines: a file that was cut or edited is refused by the number of its line': async (context) => {
    const source = await openPool(context);
    await source.receive(20);
    const lines = await exported(source.store);
    const at = 7;
    const edited = (change: (line: string) => readonly string[]): string[] => [
      ...lines.slice(0, at),
      ...change(lines[at] ?? ''),
      ...lines.slice(at + 1),
    ];
    const faults: readonly (readonly [what: string, lines: readonly string[], line: number])[] = [
      ['empty', [], 1],
      ['another file', ['PK\u0003\u0004'], 1],
      ['cut after a line', lines.slice(0, at), at + 1],
      ['cut in a line', [...lines.slice(0, at), (lines[at] ?? '').slice(0, 50)], at + 1],
      ['without its end', lines.slice(0, -1), lines.length],
      ['edited', edited((line) => [line.replace('"seq":', '"seq":1')]), at + 1],
      ['a line twice', edited((line) => [line, line]), at + 2],
      ['a line less', edited(() => []), at + 1],
      ['goes on', [...lines, lines[1] ?? ''], lines.length + 1],
      ['of another ordering', edited((line) => [line]).with(0, (lines[0] ?? '').replace(/fifo|priority/, 'other')), 1],
    ];
    for (const [what, given, line] of faults) {
      const { store } = await openOther(context);
      await assert.rejects(store.import(given), isWrongLine(line), what);
      if (line === 1) assert.equal((await store.usage()).lastSeq, 0, what);
    }
  },
  'D3/ordering: a pool imports only the export of a pool of its own ordering': async (context) => {
    const source = await openPool(context);
    const ordering = source.store.ordering === 'fifo' ? 'priority' : 'fifo';
    const { capabilities } = source.store;
    if (ordering === 'priority' && !capabilities.priority) return;
    const { store } = await openOther(context, { ordering });
    await assert.rejects(store.import(source.store.export()), isWrongLine(1));
  },
  'D3/options: unknown options and lines that are none are refused': async (context) => {
    const { store } = await openPool(context);
    for (const [lines, options, field] of [
      [null, {}, 'lines'],
      [[], { singal: 1 }, 'singal'],
      [[], { signal: 1 }, 'signal'],
    ] as const)
      await assert.rejects(
        store.import(lines as never, options as never),
        (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === field,
      );
  },
  'D3/writers: what was live during the whole export comes once; what ended meanwhile is in the log': async (
    context,
  ) => {
    const source = await openPool(context);
    for (let i = 0; i < many; i += 100) await source.receive(100);
    const hashes = await allPending(source.store);
    const lines: string[] = [];
    for await (const line of source.store.export()) {
      if (lines.push(line) === 700) {
        await source.mark(...hashes.slice(600, 620));
        await source.store.drop([...hashes.slice(0, 5), ...hashes.slice(-5)], { app: 'gone' });
        await source.receive(10);
      }
    }
    const target = await openOther(context);
    assert.equal((await target.store.import(lines)).kind, 'imported');
    const stages = new Map((await statuses(target.store, hashes)).map(({ hash, stage }) => [hash, stage]));
    const changed = JSON.parse(lines.at(-1) ?? '').changed as boolean;
    for (const hash of hashes.slice(5, -5)) assert.ok(['Pending', 'Propagated'].includes(stages.get(hash) ?? ''));
    for (const hash of hashes.slice(0, 5)) assert.equal(stages.get(hash), changed ? 'Dropped' : 'Pending');
    const { pending, propagated, logged } = await target.store.usage();
    assert.deepEqual([pending + propagated, logged], changed ? [many - 10, 10] : [many, 0]);
    await target.store.drop(hashes.slice(100, 110), { app: 'gone' });
    assert.equal((await target.store.dumpFinalized()).entries.length, changed ? 20 : 10);
  },
  'D3/blocks: an export during which a block was applied is refused, unless the caller accepts it': async (context) => {
    const source = await openPool(context);
    for (let i = 0; i < many; i += 100) await source.receive(100);
    const [first] = await allPending(source.store);
    const lines: string[] = [];
    for await (const line of source.store.export())
      if (lines.push(line) === 2) await source.store.confirm({ point: point(1), seen: [first ?? ''], unseen: [] });
    const { changed } = JSON.parse(lines.at(-1) ?? '');
    const { store } = await openOther(context);
    if (changed === true) assert.deepEqual(await store.import(lines), { kind: 'tip-changed' });
    assert.equal((await store.import(lines, { acceptChanged: true })).kind, 'imported');
    assert.equal((await store.usage()).lastSeq, many);
  },
}).map(needing('import', 'records'));

/** The hashes of all Pending transactions, by seq. */
async function allPending(store: TestedPool): Promise<string[]> {
  const hashes: string[] = [];
  for (let after: string | undefined; ; ) {
    const { transactions, next } = await store.peekPending({ after, limit: 1_000 });
    if (transactions.length === 0) return hashes;
    hashes.push(...hashesOf(transactions));
    after = next;
  }
}

async function statuses(store: TestedPool, hashes: readonly string[]) {
  const halves = [hashes.slice(0, many / 2), hashes.slice(many / 2)];
  return (await Promise.all(halves.map((half) => store.status(half)))).flat();
}

const durable = mustEach({
  'D3/reopened: an imported pool is the same after it was opened again, and an import goes on': async (context) => {
    const source = await openOther(context, timeless);
    await filled(source);
    const lines = await exported(source.store);
    const target = await openPool(context, timeless);
    await assert.rejects(target.store.import(until(lines, 900)), RangeError);
    await target.store.close();
    const second = await context.open(timeless);
    await assert.rejects(second.usage(), isUnfinished);
    assert.equal((await second.import(lines)).kind, 'imported');
    await second.close();
    const third = await context.open(timeless);
    assertSame(await poolState(third), await poolState(source.store), 'the reopened pool is another');
  },
}).map(needing('durable', 'import', 'records'));

const shared = mustEach({
  'D3/nodes: every node is refused during the import, and sees the imported pool after it': async (context) => {
    const source = await openOther(context);
    await filled(source);
    const lines = await exported(source.store);
    const [one, other] = [await openPool(context), await openPool(context)];
    assert.deepEqual(await other.pending(), []);
    await assert.rejects(one.store.import(until(lines, 600)), RangeError);
    const late = await openPool(context);
    for (const { store } of [other, late])
      for (const call of [() => store.usage(), () => store.take({}, { owner: 'a', claimMs: 1 }), () => store.tip()])
        await assert.rejects(call(), isUnfinished);
    assert.equal((await other.store.import(lines)).kind, 'imported');
    const hashes = await source.pending();
    for (const node of [one, other, late]) assert.deepEqual(await node.pending(), hashes);
    assert.deepEqual(await other.mark(...hashes.slice(0, 2)), hashes.slice(0, 2));
    assert.deepEqual(await one.pending(), (await late.pending()).slice(0));
    assert.deepEqual(textsOf(await other.store.listRecords('')), [['a', 1, 'kept']]);
  },
}).map(needing('shared', 'import', 'records'));

const killed = mustEach({
  'D3/killed: an import that was killed at any moment is completed by a repeat': async (context) => {
    const source = await openOther(context, timeless);
    await filled(source);
    const lines = await exported(source.store);
    const measured = await openOther(context, timeless);
    const begin = performance.now();
    await measured.store.import(lines);
    const importMs = performance.now() - begin;
    const child = await context.fork('storm', { calls: [{ verb: 'import', args: [lines] }] });
    await child.message();
    await untilMs(performance.now() + (context.random.below(1_000) / 1_000) * importMs);
    await child.kill();
    const target = await openPool(context, timeless);
    assert.equal((await target.store.import(lines)).kind, 'imported');
    assertSame(await poolState(target.store), await poolState(source.store), 'the pool is not whole');
  },
}).map(needing('durable', 'child-process', 'import', 'records'));

/** D3: interrupted imports, other files, and exports beside writers; on pools of both orderings. */
export const interruptedImportCases: readonly ConformanceCase[] = [...whole, ...durable, ...shared, ...killed];
