import { createHash } from 'node:crypto';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './store-operators.ts';

type Fields = Readonly<Record<string, unknown>>;
type Change = (line: Fields) => object | null;

/** The lines of an export, changed, with digests that fit. */
async function* rewritten(lines: AsyncIterable<string>, change: Change): AsyncGenerator<string> {
  let [count, digest] = [0, ''];
  for await (const line of lines) {
    const { check: _, ...fields } = JSON.parse(line) as Fields;
    const changed = fields.kind === 'end' ? { ...fields, lines: count, digest } : change(fields);
    if (changed === null) continue;
    const json = JSON.stringify(changed);
    digest = createHash('sha256')
      .update(digest + json)
      .digest('hex');
    count += 1;
    yield `${json.slice(0, -1)},"check":"${digest.slice(0, 16)}"}`;
  }
}

/** An export that has something else than the pool. */
function exporting(id: string, change: Change, layer = stores): Mutant {
  return layer.plant(id, (store) => ({ export: (options) => rewritten(store.export(options), change) }));
}

function inKind(kind: string, change: Change): Change {
  return (line) => (line.kind === kind ? change(line) : line);
}

const done = { kind: 'imported' };
const wrong = 'ERR_MEMPOOL_INVALID';

/** D3. */
export const importingMutants: readonly Mutant[] = [
  exporting(
    'exported-without-inclusions',
    inKind('block', (line) => ({ ...line, sighted: [] })),
  ),
  exporting(
    'versions-begin-anew-after-an-import',
    inKind('finish', (line) => ({ ...line, lastVersion: 0 })),
  ),
  exporting(
    'claimed-ones-are-not-held-back',
    inKind('live', ({ notBefore: _, ...line }) => line),
  ),
  exporting('ended-meanwhile-is-left-out', (line) => (line.late === true ? null : line)),
  stores.told('an-empty-import-makes-a-record', {
    import: async (outcome, { store }) => {
      if (outcome.kind === 'imported' && outcome.live + outcome.logged + outcome.records === 0)
        await store.putRecord('imported', new Uint8Array());
    },
  }),
  stores.told('imports-count-no-records', { import: ({ kind }) => kind === 'imported' && { records: 0 } }),
  stores.told('imported-over-what-is-there', { import: ({ kind }) => kind === 'not-empty' && done }),
  stores.told('a-moved-tip-is-imported', { import: ({ kind }) => kind === 'tip-changed' && done }),
  stores.caught('import-takes-any-option', ['import'], wrong, (error) => {
    if (error.details.field !== 'singal') throw error;
    return done;
  }),
];

/** D3, of pools of both orderings. */
export const rankedImportingMutants: readonly Mutant[] = [
  exporting(
    'exported-without-limits',
    inKind('numbers', (line) => ({ ...line, limits: {} })),
    pools,
  ),
  pools.caught('any-ordering-imported', ['import'], wrong, (error) => {
    if (error.details.line !== 1) throw error;
    return done;
  }),
];
