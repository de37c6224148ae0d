import type { ReviseOutcome, StaleTransaction } from 'mempool-core';
import type { CheckedRevision, CheckedVerdict, Entry, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority } from './priority-pool.ts';

/** A fault in what is told to be stale. */
function listing(
  id: string,
  change: (found: StaleTransaction[], index: PoolIndex, height: number) => StaleTransaction[],
): Mutant {
  return priority.around(id, {
    stale: async ({ whole, index, given: [height, limit, context] }) =>
      change([...(await whole.stale(height, 1_000, context))], index, height).slice(0, limit),
  });
}

/** A fault in the version of the revisions that arrive. */
function versioned(id: string, isMeant: (revision: CheckedRevision) => boolean): Mutant {
  return priority.givenEach(id, {
    revise: (one, { index }) => isMeant(one) && { version: index.node(one.hash)?.entry.version ?? 1 },
  });
}

/** A fault in the verdicts that arrive, by those before. */
function verdicts(id: string, change: (verdict: CheckedVerdict, before: CheckedVerdict) => Partial<CheckedVerdict>) {
  return priority.givenEach(id, {
    revise: ({ answer, hash }, { index }) => {
      const before = index.node(hash)?.entry.verdict;
      if ('refusal' in answer || before === undefined) return false;
      return { answer: { verdict: { ...answer.verdict, ...change(answer.verdict, before) } } };
    },
  });
}

/** A field of a new verdict is not taken. */
function notTaken(id: string, field: keyof CheckedVerdict): Mutant {
  return verdicts(id, (_, before) => ({ [field]: before[field] }));
}

/** A fault in the entry that a new verdict makes. */
function entered(id: string, change: (entry: Entry, before: Entry | undefined) => Partial<Entry>): Mutant {
  return priority.view(id, ['revise'], ({ index }) => ({
    put: (entry, stage) => index.put({ ...entry, ...change(entry, index.node(entry.hash)?.entry) }, stage),
  }));
}

const isOwn = (verdict: CheckedVerdict, before: CheckedVerdict): boolean =>
  verdict.sender === before.sender && [...verdict.provides].sort().join() === [...before.provides].sort().join();

/** P11. */
export const recheckMutants: readonly Mutant[] = [
  listing('stale-by-seq', (found) => found.sort((a, b) => a.seq - b.seq)),
  priority.each('stale-without-version', { stale: () => ({ version: 0 }) }),
  priority.given('stale-at-the-very-height', { stale: (height) => height + 1 }),
  listing('parked-never-stale', (found, index) => found.filter(({ hash }) => index.node(hash)?.place?.ready === true)),
  listing('in-flight-stale-too', (found, index, height) => {
    const isOld = (stage: string, { checkedHeight }: Entry) => stage === 'Propagated' && checkedHeight < height;
    const flying = [...index.nodes()].filter(({ stage, entry }) => isOld(stage, entry)).map(({ entry }) => entry);
    return [
      ...flying.map(({ hash, seq, version, checkedHeight }) => ({ hash, seq, version, checkedHeight })),
      ...found,
    ];
  }),
  priority.around('stale-limit-ignored', {
    stale: ({ whole, given: [height, _, context] }) => whole.stale(height, 1_000, context),
  }),
  versioned('stale-verdict-wins', () => true),
  versioned('stale-refusal-wins', ({ answer }) => 'refusal' in answer),
  notTaken('new-priority-not-taken', 'priority'),
  notTaken('new-gas-not-taken', 'gas'),
  notTaken('new-needs-not-taken', 'requires'),
  notTaken('new-expiry-not-taken', 'expiresAt'),
  notTaken('new-height-not-taken', 'expiresAtHeight'),
  notTaken('new-privacy-not-taken', 'propagate'),
  verdicts('other-tags-and-senders-put-right', (verdict, { provides, sender }) =>
    isOwn(verdict, { ...verdict, provides, sender }) ? {} : { provides, sender },
  ),
  entered('version-not-counted', ({ version }) => ({ version: version - 1 })),
  entered('checked-height-never-lowered', ({ checkedHeight }, before) => ({
    checkedHeight: Math.max(checkedHeight, before?.checkedHeight ?? 0),
  })),
  entered('checked-height-not-noted', (_, before) => ({ checkedHeight: before?.checkedHeight ?? 0 })),
  entered('admitted-anew-by-a-verdict', ({ checkedHeight }) => ({ admittedHeight: checkedHeight })),
  priority.around('verdict-without-height-is-of-nought', {
    revise: ({ whole, given: [revisions, moment, context] }) =>
      whole.revise(revisions, { ...moment, height: moment.height ?? 0 }, context),
  }),
  priority.moves('versions-count-moves', ['move'], ({ version }) => ({ version: version + 1 })),
  priority.view('versions-count-places', ['drop'], ({ index }) => ({
    place: (node, place) => {
      index.move(node, node.stage, { ...node.entry, version: node.entry.version + 1 });
      index.place(node, place);
    },
  })),
  priority.reason('refused-told-without-its-reason', ['revise'], 'invalid', 'dropped'),
  priority.told('refused-in-flight-is-dropped', {
    revise: async (told, { whole, given: [revisions] }) => {
      const refused = revisions.filter(({ answer }, i) => 'refusal' in answer && told[i]?.kind === 'skipped');
      const hashes = refused.map(({ hash }) => hash);
      await whole.drop(hashes, 'invalid', free);
    },
  }),
  priority.only('skipped-left-out', { revise: ({ kind }) => kind !== 'skipped' }),
  priority.limits('new-gas-without-limit', ['revise'], () => ({ maxTxGas: Number.POSITIVE_INFINITY })),
  priority.limits('new-ancestors-without-limit', ['revise'], () => ({ maxAncestors: 100 })),
  priority.limits('new-descendants-without-limit', ['revise'], () => ({ maxDescendants: 1_000 })),
  priority.limits('new-gas-of-the-limit-too-much', ['revise'], ({ maxTxGas }) => ({ maxTxGas: maxTxGas - 1 })),
  priority.each('circles-of-verdicts-told-as-limits', {
    revise: ({ kind }) => kind === 'cycle' && { kind: 'limit', limit: 'maxAncestors' },
  }),
  priority.each('refused-verdicts-count', {
    revise: ({ kind, hash }, { index }) => {
      const node = kind === 'limit' || kind === 'cycle' ? index.node(hash) : undefined;
      if (node) index.move(node, node.stage, { ...node.entry, version: node.entry.version + 1 });
    },
  }),
  priority.around('verdicts-from-the-last-to-the-first', {
    revise: async ({ whole, given: [all, ...rest] }) =>
      [...(await whole.revise([...all].reverse(), ...rest))].reverse(),
  }),
  priority.decided('limits-take-back-what-a-refusal-parks', ['revise'], ({ outcome }, { index }) => {
    const kinds = (outcome as ReviseOutcome[]).map(({ kind }) => kind);
    const isMeant = kinds.includes('dropped') && kinds.includes('limit');
    for (const node of isMeant ? [...index.parked] : [])
      if (node.place) index.place(node, { ...node.place, ready: true });
    return null;
  }),
  priority.around('bad-verdicts-leave-the-good-ones', {
    revise: async ({ whole, given: [revisions, ...rest] }) => {
      const told: ReviseOutcome[] = [];
      for (const one of revisions) told.push(...(await whole.revise([one], ...rest)));
      return told;
    },
  }),
];
