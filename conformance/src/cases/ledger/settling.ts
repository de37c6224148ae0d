import assert from 'node:assert/strict';
import { isLedgerError, type Ledger, type TransferCall } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOf, eachOnLedger, mustLedger } from '../../case/must.ts';
import { allRecords, audited, fund, move, newWallets, totals, whole } from '../../scenario/ledger.ts';

const make = (hash: string, after: string) => ({ hash, before: null, after });

function hold(id: string, amount: bigint): TransferCall {
  return { ...move(`~c.${id}`, 'a', 'b', amount), kind: 'reserve' };
}

function post(id: string, pendingId: string): TransferCall {
  return { kind: 'post', id: `~c.${id}`, pendingId: `~c.${pendingId}` };
}

async function allMarks(ledger: Ledger, coupling: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { marks, next } = await ledger.markPage(coupling, cursor);
    for (const { hash, text } of marks) found[hash] = text;
    cursor = next;
  }
  return found;
}

const compared = eachOnLedger({
  'G1/with-money: money moves and marks change in one step': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const { outcome, transfers } = await ledger.settle('c', [hold('1', 4n), post('2', '1')], [make('aa', 'first')]);
    assert.deepEqual([outcome, transfers.map(({ state }) => state)], ['settled', ['pending', 'posted']]);
    assert.deepEqual(transfers[1], await ledger.findTransfer('~c.2'));
    assert.deepEqual(await ledger.marks('c', ['bb', 'aa']), [null, 'first']);
    assert.deepEqual(await totals(ledger, 'a'), [10n, 4n, 0n, 0n]);
    await audited(ledger);
  },
  'G1/changed: with another mark than is expected nothing changes': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    await ledger.settle('c', [], [make('aa', 'first')]);
    const before = await whole(ledger);
    for (const expected of [null, 'fir', 'first ', '']) {
      const change = { hash: 'aa', before: expected, after: 'second' };
      const answer = await ledger.settle('c', [hold('1', 4n)], [make('bb', 'other'), change]);
      assert.deepEqual(answer, { outcome: 'changed', transfers: [] });
    }
    assert.deepEqual((await ledger.settle('c', [], [{ hash: 'bb', before: 'x', after: null }])).outcome, 'changed');
    assert.deepEqual(await whole(ledger), before);
    assert.deepEqual(await allMarks(ledger, 'c'), { aa: 'first' });
  },
  'G1/removed: a mark that is removed is as if it had never been': async (ledger) => {
    await ledger.settle('c', [], [make('aa', 'first'), make('bb', '')]);
    const gone = { hash: 'aa', before: 'first', after: null };
    assert.equal((await ledger.settle('c', [], [gone])).outcome, 'settled');
    assert.equal((await ledger.settle('c', [], [gone])).outcome, 'changed');
    assert.deepEqual([await ledger.marks('c', ['aa', 'bb']), await allMarks(ledger, 'c')], [[null, ''], { bb: '' }]);
    assert.equal((await ledger.settle('c', [], [make('aa', 'again')])).outcome, 'settled');
  },
  'G1/at-once: of many settlements at once that expect the same mark, one is done': async (ledger) => {
    await fund(ledger, { a: 100n, b: 0n });
    const calls = Array.from({ length: 20 }, (_, i) => ledger.settle('c', [hold(`${i}`, 3n)], [make('aa', `${i}`)]));
    const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'settled').length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 19);
    assert.deepEqual(await totals(ledger, 'a'), [100n, 0n, 0n, 3n]);
  },
});

const entire = eachOnLedger({
  'G2/refused: if a call is refused nothing changes, and no record is made': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    await ledger.settle('c', [hold('0', 1n)], []);
    const before = await whole(ledger);
    const settle = async (...calls: TransferCall[]) => (await ledger.settle('c', calls, [make('aa', 'x')])).outcome;
    assert.equal(await settle(hold('1', 4n), hold('2', 6n)), 'insufficient_funds');
    assert.equal(await settle(post('1', '0'), post('2', '0')), 'pending_already_posted');
    assert.equal(await settle(hold('1', 1n), hold('1', 1n)), 'id_conflict');
    assert.equal(await settle(hold('0', 1n)), 'id_conflict');
    assert.equal(await settle(hold('1', 1n), hold('2', 0n)), 'invalid_amount');
    assert.deepEqual(await whole(ledger), before);
    assert.deepEqual(await allMarks(ledger, 'c'), {});
    assert.equal(await settle(hold('1', 4n), hold('2', 5n)), 'settled');
  },
  'G2/marks-only: marks change without a call, and without a record': async (ledger) => {
    const before = await allRecords(ledger);
    assert.deepEqual(await ledger.settle('c', [], [make('aa', 'x')]), { outcome: 'settled', transfers: [] });
    assert.deepEqual([await allRecords(ledger), await allMarks(ledger, 'c')], [before, { aa: 'x' }]);
  },
});

const system = eachOnLedger({
  'G3/ids: only a coupling makes ids that begin with ~ and its name': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    await ledger.settle('c', [hold('1', 1n)], []);
    const before = await whole(ledger);
    for (const id of ['~c.2', '~other', '~']) {
      assert.equal((await ledger.transfer(move(id, 'a', 'b', 1n))).outcome, 'invalid_id');
      assert.equal((await ledger.reserve(move(id, 'a', 'b', 1n))).outcome, 'invalid_id');
      assert.equal((await ledger.post({ id, pendingId: '~c.1' })).outcome, 'invalid_id');
      assert.equal((await ledger.void({ id, pendingId: '~c.1' })).outcome, 'invalid_id');
    }
    for (const id of ['c.2', '~other.2', '~c2', '2']) {
      const call: TransferCall = { ...move(id, 'a', 'b', 1n), kind: 'transfer' };
      assert.equal((await ledger.settle('c', [call], [])).outcome, 'invalid_id');
    }
    assert.deepEqual(await whole(ledger), before);
    await assert.rejects(ledger.settle('a b', [], []), (error) => isLedgerError(error, 'ERR_LEDGER_ARGUMENT'));
  },
  'G4/apart: couplings share no marks': async (ledger) => {
    await ledger.settle('c', [], [make('aa', 'of c')]);
    await ledger.settle('c2', [], [make('aa', 'of c2'), make('bb', 'of c2')]);
    assert.deepEqual(await allMarks(ledger, 'c'), { aa: 'of c' });
    assert.deepEqual(await allMarks(ledger, 'c2'), { aa: 'of c2', bb: 'of c2' });
    assert.deepEqual(await ledger.marks('c', ['bb', 'aa']), [null, 'of c']);
  },
  'G4/pages: all marks are found, page by page': async (ledger) => {
    const made: Record<string, string> = {};
    for (let n = 0; n < 2_500; n += 500) {
      const changes = Array.from({ length: 500 }, (_, i) => make((n + i).toString(16).padStart(4, '0'), `${n + i}`));
      for (const { hash, after } of changes) made[hash] = after;
      assert.equal((await ledger.settle('c', [], changes)).outcome, 'settled');
    }
    assert.deepEqual(await allMarks(ledger, 'c'), made);
    assert.deepEqual(await ledger.marks('c', Object.keys(made)), Object.values(made));
  },
  'G4/texts: a mark is kept as it is given': async (ledger) => {
    const texts = ['{"a":"é 😀 \\u0000"}', ' ', '1', '0', 'null', 'x'.repeat(4_000)];
    for (const [n, text] of texts.entries()) await ledger.settle('c', [], [make(`${n}`, text)]);
    assert.deepEqual(await ledger.marks('c', Object.keys(texts)), texts);
  },
});

const handles = eachOf((id: string, title: string, run: ConformanceCase['run']) =>
  mustLedger(id, title, run, ['shared']),
)({
  'G1/handles: what one handle has settled, another one cannot settle again': async ({ ledger: open }) => {
    const [one, other] = [await open(), await open()];
    await newWallets(one, 'b');
    await fund(one, { a: 10n });
    assert.equal((await one.settle('c', [hold('1', 4n)], [make('aa', 'x')])).outcome, 'settled');
    assert.equal((await other.settle('c', [hold('2', 4n)], [make('aa', 'y')])).outcome, 'changed');
    assert.deepEqual([await other.marks('c', ['aa']), await totals(other, 'a')], [['x'], [10n, 0n, 0n, 4n]]);
  },
});

const durable = eachOf((id: string, title: string, run: ConformanceCase['run']) =>
  mustLedger(id, title, run, ['durable']),
)({
  'G1/again: marks are there after the ledger is opened again': async ({ ledger: open }) => {
    const before = await open();
    await before.settle('c', [], [make('aa', 'x'), make('bb', 'y')]);
    await before.settle('c', [], [{ hash: 'bb', before: 'y', after: null }]);
    await before.close();
    assert.deepEqual(await allMarks(await open(), 'c'), { aa: 'x' });
  },
});

export const settlingCases: readonly ConformanceCase[] = [...compared, ...handles, ...durable, ...entire, ...system];
