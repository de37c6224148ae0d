import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach, needing } from '../../case/must.ts';
import { hashesOf, pendingOrder, transaction, transactions } from '../../scenario/pool.ts';

/** Names and ids may have so many characters. */
const maxCharacters = 128;

/** What means something to a file system, a URL, a pattern, a key or a query. */
const special = '#%&*+-./:;?@\\_|~$';

/** What a store that cuts, folds, trims, escapes or parses a text would take for one another, around a text of its own. */
function confusable(own: string): string[] {
  const long = own.padEnd(maxCharacters - 1, '-');
  const variants = [
    'a',
    'A',
    'ab',
    'a.',
    'a/',
    'a:b',
    'a/b',
    'a\\b',
    'a%2Fb',
    'a_b',
    'a*',
    'a?',
    '{a}',
    '[a]',
    '0',
    '00',
    '0.0',
  ];
  return distinct([
    own,
    own.toUpperCase(),
    `{${own}`,
    `./${own}`,
    `../${own}`,
    `~/${own}`,
    ...variants.map((variant) => `${own}${variant}`),
    ...[...special].map((character) => `${own}${character}`),
    // They differ in the last of the characters that a name may have.
    `${long}1`,
    `${long}2`,
    long,
  ]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

const ownPools = mustEach({
  'N2/awkward-names: pools with similar names are different pools': async (context) => {
    const names = confusable(context.newPool());
    // The same one in each: where two pools are one, it is a duplicate.
    const one = transaction(context.random);
    const own = transactions(context.random, names.length);
    const outcomes: string[] = [];
    for (const [i, name] of names.entries()) {
      const store = await context.openNamed(name);
      const batch = [one, ...own.slice(i, i + 1)];
      const [outcome] = await store.receive(batch);
      outcomes.push(`${outcome?.kind} in ${name}`);
      assert.deepEqual([name, await pendingOrder(store)], [name, hashesOf(batch)]);
    }
    assert.deepEqual(
      outcomes,
      names.map((name) => `received in ${name}`),
    );
  },
});

const ownPoolsDurable = mustEach({
  'N2/reopened-by-name: each of such pools is found again by its name, with what is its own': async (context) => {
    const names = confusable(context.newPool()).slice(0, 12);
    const batch = transactions(context.random, names.length);
    for (const [i, name] of names.entries()) {
      const store = await context.openNamed(name);
      await store.receive(batch.slice(i, i + 1));
      await store.close();
    }
    const found: (readonly [string, string[]])[] = [];
    for (const name of names) found.push([name, await pendingOrder(await context.openNamed(name))]);
    assert.deepEqual(
      found,
      batch.map(({ hash }, i) => [names[i], [hash]]),
    );
  },
}).map(needing('durable'));

const onePool = eachOnPool({
  'X2/awkward-ids: operation ids that look alike are different ids': async (store, context) => {
    const ids = [
      ...confusable('id'),
      ...confusable('7'),
      ' ',
      '  ',
      ' id',
      'id ',
      '__proto__',
      'constructor',
      'null',
      '{id}',
    ];
    const first: unknown[] = [];
    const batch = ids.map(() => transaction(context.random));
    for (const [i, operationId] of ids.entries())
      first.push([operationId, await store.receive(batch.slice(i, i + 1), { operationId })]);
    assert.deepEqual(await pendingOrder(store), hashesOf(batch));
    const again: unknown[] = [];
    for (const [i, operationId] of ids.entries())
      again.push([operationId, await store.receive(batch.slice(i, i + 1), { operationId })]);
    assert.deepEqual(again, first);
  },
});

export const nameCases: readonly ConformanceCase[] = [...ownPools, ...ownPoolsDurable, ...onePool];
