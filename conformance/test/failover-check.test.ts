import { checkFailover, type FailoverEntry, type FailoverRule, holdersOf } from 'mempool-conformance/failover';
import { expect, test } from 'vitest';
import {
  acquired,
  block,
  call,
  fault,
  final,
  held,
  lost,
  ms,
  point,
  record,
  run,
  sent,
  soundRun,
} from './failover-records.ts';

function rulesBroken(entries: readonly FailoverEntry[]): FailoverRule[] {
  return [...new Set(checkFailover(record(...entries)).map(({ rule }) => rule))];
}

/** The sound run with what the callback makes of each line. */
function changed(change: (entry: FailoverEntry) => FailoverEntry[]): FailoverEntry[] {
  return soundRun().flatMap(change);
}

/** One leader, then another one that knows nothing of it. */
const [first, second] = [acquired('a', 100, 1), acquired('b', 1_100, 2)];
const ends = [lost('a', 1_050, 1), lost('b', 1_500, 2)];

test('a sound run breaks no rule', () => {
  expect(checkFailover(record(...soundRun()))).toEqual([]);
});

test('the order of the lines does not matter', () => {
  expect(checkFailover(record(...soundRun().reverse()))).toEqual([]);
});

test('the same block event may be seen by several processes', () => {
  expect(rulesBroken(changed((entry) => (entry.kind === 'block' ? [entry, entry] : [entry])))).toEqual([]);
});

test.each<[string, FailoverRule, FailoverEntry[]]>([
  ['a record without its first line', 'record', soundRun().slice(1)],
  ['a run in which nobody led', 'record', [run, final]],
  [
    'a block that a term applies after a higher one was acquired',
    'fence',
    [run, first, second, ...ends, ...call('a', 1_200, { term: 1, slot: 1 }), block(1_201, 1, 1), final],
  ],
  [
    'a rollback by a term after a higher one was acquired',
    'fence',
    [
      ...soundRun(),
      ...call('b', 1_490, { term: 2, slot: 2, verb: 'rollback', outcome: 'rolled-back', tick: 2 }),
      { ...block(1_491, 6, 3), action: 'undone' },
    ],
  ],
  [
    'a block without a lease after a term was acquired',
    'fence',
    changed((entry) => ('verb' in entry && entry.point?.slot === 2 ? [{ ...entry, term: null }] : [entry])),
  ],
  [
    'a block that a leader applies while nobody holds the lease, before there is a next one',
    'holder',
    [
      run,
      first,
      held(950, 0, null, 1),
      ...call('a', 960, { term: 1, slot: 1 }),
      block(961, 1, 1),
      held(970, 1, null, 1),
      ...ends.slice(0, 1),
      final,
    ],
  ],
  [
    'a block of a call that was held up until another one leads',
    'holder',
    [
      run,
      first,
      sent('a', 1_000, { term: 1, slot: 1 }),
      second,
      held(1_110, 0, 2),
      sent('b', 1_120, { term: 2, slot: 2 }),
      block(1_130, 1, 1),
      held(1_140, 1, 2),
      ...ends,
      final,
    ],
  ],
  [
    'a block under a lease of the term, but of another token',
    'holder',
    changed((entry) => (entry.kind === 'sent' && entry.point?.slot === 2 ? [{ ...entry, token: 'another' }] : [entry])),
  ],
  [
    'a term that two processes acquire',
    'terms',
    [run, first, lost('a', 1_050, 1), { ...second, term: 1 }, { ...lost('b', 1_500, 1), token: 'token 2' }, final],
  ],
  [
    'a term that is lower than one before',
    'terms',
    changed((entry) => ('term' in entry && entry.term === 3 ? [{ ...entry, term: 1.5 }] : [entry])),
  ],
  ['a block that is applied twice', 'blocks', [...soundRun(), { ...block(1_600, 6, 3), tick: 4 }]],
  [
    'a tick that is left out',
    'blocks',
    changed((entry) => (entry.kind === 'block' && entry.eventSeq === 2 ? [{ ...entry, tick: 3 }] : [entry])),
  ],
  [
    'a block that is undone but was not the last',
    'blocks',
    changed((entry) => (entry.kind === 'block' && entry.eventSeq === 4 ? [{ ...entry, point: point(2) }] : [entry])),
  ],
  [
    'one event of which two processes saw different things',
    'blocks',
    [...soundRun(), { ...block(1_472, 5, 3), point: point(4) }],
  ],
  ['a block that nobody asked for', 'blocks', [...soundRun(), block(1_480, 6, 4)]],
  [
    'a block of which the caller was told that it is applied, and it is not',
    'blocks',
    [...soundRun(), ...call("a'", 1_480, { term: 3, slot: 4 })],
  ],
  [
    'a call sent in time that is applied behind a block of a higher term',
    'blocks',
    [
      run,
      first,
      sent('a', 1_000, { term: 1, slot: 2 }),
      second,
      ...ends,
      ...call('b', 1_150, { term: 2, slot: 1 }),
      block(1_151, 1, 1),
      block(1_152, 2, 2),
      final,
    ],
  ],
  [
    'a leadership that is never lost',
    'lost',
    changed((entry) => (entry.kind === 'lost' && entry.term === 1 ? [] : [entry])),
  ],
  ['a leadership that is lost twice', 'lost', [...soundRun(), lost('a', 501, 1)]],
  ['a loss without a leadership', 'lost', [...soundRun(), lost('b', 501, 7)]],
  [
    'a win before the loss of the term before',
    'lost',
    [run, first, acquired('a', 1_010, 2), lost('a', 1_020, 1), lost('a', 1_030, 2), final],
  ],
  [
    'two processes that believe at once',
    'beliefs',
    [run, first, { ...second, at: ms(900), sentAt: ms(899) }, ...ends, final],
  ],
  [
    'a final state that is not that of a single node',
    'final',
    changed((entry) => (entry.kind === 'final' ? [{ ...entry, digest: 'other' }] : [entry])),
  ],
  ['a run without a final state', 'final', soundRun().slice(0, -1)],
])('%s is found', (_, rule, entries) => {
  expect(rulesBroken(entries)).toContain(rule);
});

test('a block between two holders is compared with neither, and one of a record without tokens by its term', () => {
  const between = soundRun().filter((entry) => entry.kind !== 'held' || entry.eventSeq !== 1);
  expect(holdersOf(record(...between)).size).toBeLessThan(holdersOf(record(...soundRun())).size);
  expect(rulesBroken(between)).toEqual([]);
  const old = changed((entry) => {
    if (!('verb' in entry)) return [entry];
    const { token: _, ...rest } = entry;
    return [rest];
  });
  expect(rulesBroken(old)).toEqual([]);
  const wrong = old.map((entry) => (entry.kind === 'held' ? { ...entry, term: entry.term + 10 } : entry));
  expect(rulesBroken(wrong)).toContain('holder');
});

test('a killed process need not have said that it lost', () => {
  const withoutKill = changed((entry) => (entry.kind === 'fault' ? [] : [entry]));
  expect(rulesBroken(withoutKill)).toContain('lost');
});

test('a win that was asked for before a higher one was known may be heard of later', () => {
  const early = { ...acquired('a', 1_200, 1, 1_201), sentAt: ms(1_000) };
  const removed = fault('delete the lock', null, 1_050, 1_060);
  expect(rulesBroken([run, early, ...removed, second, lost('a', 1_201, 1), lost('b', 1_500, 2), final])).toEqual([]);
});

test('a repeated call that is answered with what the first one did is no new block', () => {
  const repeated = [
    ...call('a', 160, { term: 1, slot: 1, outcome: 'ERR_MEMPOOL_OUTCOME_UNKNOWN' }),
    ...call('a', 1_200, { term: 1, slot: 1 }),
  ];
  expect(rulesBroken([run, first, second, ...ends, ...repeated, block(161, 1, 1), final])).toEqual([]);
});
