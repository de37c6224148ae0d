import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { eachOnPool, openNamed } from '../../scenario/on-pool.ts';
import { hashesOf, transaction, transactions } from '../../scenario/pool.ts';

/** The greatest length of names and ids, in characters. */
const maxCharacters = 128;

/** Characters with a meaning in a file system, a URL, a pattern, a key or a query. */
const special = '#%&*+-./:;?@\\_|~$';

/** Variants of a unique text that a store would confuse if it cut, folded, trimmed, escaped or parsed it. */
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
    // These names have the greatest length and differ in the last character.
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
    // The same transaction in each pool: if two names lead to one pool, it is a duplicate there.
    const one = transaction(context.random);
    const own = transactions(context.random, names.length);
    const outcomes: string[] = [];
    for (const [i, name] of names.entries()) {
      const pool = await openNamed(context, name);
      const batch = [one, ...own.slice(i, i + 1)];
      const [outcome] = await pool.store.receive(batch);
      outcomes.push(`${outcome?.kind} in ${name}`);
      assert.deepEqual([name, await pool.pending()], [name, hashesOf(batch)]);
    }
    assert.deepEqual(
      outcomes,
      names.map((name) => `received in ${name}`),
    );
  },
});

const ownPoolsDurable = mustEach({
  'N2/reopened-by-name: each pool with such a name is found again, with its own contents': async (context) => {
    const names = confusable(context.newPool()).slice(0, 12);
    const batch = transactions(context.random, names.length);
    for (const [i, name] of names.entries()) {
      const store = await context.openNamed(name);
      await store.receive(batch.slice(i, i + 1));
      await store.close();
    }
    const found: (readonly [string, string[]])[] = [];
    for (const name of names) found.push([name, await (await openNamed(context, name)).pending()]);
    assert.deepEqual(
      found,
      batch.map(({ hash }, i) => [names[i], [hash]]),
    );
  },
}).map(needing('durable'));

const onePool = eachOnPool({
  'X2/awkward-ids: operation ids that look alike are different ids': async (pool, store) => {
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
    const batch = ids.map(() => pool.transaction());
    for (const [i, operationId] of ids.entries())
      first.push([operationId, await store.receive(batch.slice(i, i + 1), { operationId })]);
    assert.deepEqual(await pool.pending(), hashesOf(batch));
    const again: unknown[] = [];
    for (const [i, operationId] of ids.entries())
      again.push([operationId, await store.receive(batch.slice(i, i + 1), { operationId })]);
    assert.deepEqual(again, first);
  },
});

export const nameCases: readonly ConformanceCase[] = [...ownPools, ...ownPoolsDurable, ...onePool];
