import { checkHistory, historyOptions, makeHistory } from 'mempool-conformance';
import { expect, test } from 'vitest';
import { subject as forgetful } from './fixtures/forgetful.ts';
import { subject } from './fixtures/subject.ts';

test('equal seeds give equal histories', async () => {
  const histories = await Promise.all([1, 1, 2].map((seed) => makeHistory(seed, 50, historyOptions)));
  expect(histories[0]).toEqual(histories[1]);
  expect(histories[0]).not.toEqual(histories[2]);
});

test('a store that keeps the rules passes long histories', async () => {
  for (const seed of [1, 2, 3])
    await checkHistory({ seed, steps: 1_000, open: (options) => subject.open('x', options) });
});

test('a store that breaks one is told by the shortest history that shows it, with its seed', async () => {
  const checking = checkHistory({ seed: 4, steps: 300, open: (options) => forgetful.open('x', options) });
  const { message } = await checking.then(
    () => new Error('passed'),
    (error: Error) => error,
  );
  const story = message.split('(seed 4):\n')[1]?.split('\n') ?? [];
  expect(story.map((line) => line.replace(/\(.*/, ''))).toEqual([
    'await store.receive',
    'await store.markInflight',
    'await store.markAcknowledged',
  ]);
});

test('a history has every verb, every outcome and every stage in it', async () => {
  const { calls, hashes } = await makeHistory(1, 300, historyOptions);
  const store = await subject.open('x', historyOptions);
  const seen = new Set<string>();
  for (const { verb } of calls) seen.add(verb);
  const { perform } = await import('../src/case/call.ts');
  for (const call of calls) {
    const answer = await perform(store, call);
    for (const [, kind] of JSON.stringify(answer).matchAll(/"kind":"([^"]*)"/g)) seen.add(kind ?? '');
    for (const { stage } of await store.checkStatus(hashes)) seen.add(stage);
    if ('code' in answer) seen.add(answer.code);
  }
  expect([...seen].sort()).toEqual(
    [
      ...['receive', 'markInflight', 'markAcknowledged', 'release', 'drop', 'confirm', 'rollback'],
      ...['received', 'duplicate', 'applied', 'gap', 'rolled-back', 'unchanged', 'unknown-point'],
      ...['Unknown', 'Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized', 'Dropped'],
      'ERR_MEMPOOL_INVALID',
    ].sort(),
  );
});
