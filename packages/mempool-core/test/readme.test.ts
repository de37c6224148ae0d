import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fields } from '../src/config/config.ts';
import { MempoolError, mempoolErrorCodes } from '../src/contract/errors.ts';
import { lifecycleVerbs, nextStage, transitions } from '../src/contract/lifecycle.ts';
import { code, rules, table } from './readme.ts';
import { scratch } from './readme-backend.ts';

const hash = 'ab'.repeat(32);
/** Numbers of rules that are removed, which no other rule takes. */
const retired = new Set(['P27', 'P30', 'P31', 'P33']);

describe('the contract', () => {
  it('has every rule once, in order', () => {
    const numbered = (letter: string, last: number) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`);
    const counts = { L: 15, X: 6, O: 9, E: 6, D: 4, N: 3, M: 3, R: 3, K: 4, P: 33 };
    const all = Object.entries(counts).flatMap(([letter, last]) => numbered(letter, last));
    expect(rules()).toEqual(all.filter((rule) => !retired.has(rule)));
  });

  it('shows the transition table as it is (L11)', () => {
    const [head, ...rows] = table('transitions');
    const stages = Object.keys(transitions) as (keyof typeof transitions)[];
    expect(head).toEqual(['', ...lifecycleVerbs]);
    expect(rows).toEqual(stages.map((stage) => [stage, ...lifecycleVerbs.map((verb) => nextStage(stage, verb) ?? '')]));
  });

  it('lists every error code, and whether to try again (R1)', () => {
    const rows = mempoolErrorCodes.map((each) => [each, new MempoolError(each, '').retryable ? 'yes' : 'no']);
    expect(table('errors').map((row) => row.slice(0, 2))).toEqual([['code', 'try again?'], ...rows]);
  });
});

describe('the other pages', () => {
  it('list every field of a configuration', () => {
    const [, ...rows] = table('fields');
    expect(rows.map(([field]) => field).sort()).toEqual(Object.keys(fields).sort());
  });

  it('show a backend that is a file here, and works', async () => {
    expect(code('backend')).toBe(readFileSync(new URL('readme-backend.ts', import.meta.url), 'utf8'));
    await using store = await scratch.open();
    const events = (await store.subscribe())[Symbol.asyncIterator]();
    const given = { hash, payload: new Uint8Array([7]), payloadType: 1 };
    const [first] = await store.receive([given], { operationId: 'one' });
    expect(await store.receive([given], { operationId: 'one' })).toEqual([first]);
    await store.confirm({ point: { slot: 1, hash }, seen: [hash] }, { finalizeThreshold: 1 });
    expect(await store.status([hash])).toMatchObject([{ stage: 'Finalized', confirmedAt: { slot: 1, hash } }]);
    expect((await events.next()).value).toMatchObject({ eventSeq: 1, hash, stage: 'Pending' });
  });
});
