import { describe, expect, it } from 'vitest';
import { checkChainWrite } from '../../src/boundary/arguments.ts';
import { defineBackend } from '../../src/boundary/define-backend.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import { isFenced, type Lease, type LeaseSource } from '../../src/contract/lease.ts';
import { defaultRetention, type OpenOptions } from '../../src/contract/options.ts';
import { ledgerDriver } from '../../src/drivers/ledger-driver.ts';
import { Ledger } from '../../src/memory/ledger.ts';
import { scratch } from '../readme-backend.ts';

const lease: Lease = { nodeId: 'a', token: 'token-1', term: 7 };
const hash = 'ab'.repeat(32);
const block = { point: { slot: 1, hash }, seen: [], unseen: [] };

/** The code and the field of a refusal. */
function refusal(error: unknown): unknown {
  return isMempoolError(error) ? [error.code, error.details.field] : error;
}

describe('a call is fenced (X6)', () => {
  it.each<[string, Lease | null, Lease | null, boolean]>([
    ['without a lease while one is held', lease, null, false],
    ['without a lease where one is demanded', null, null, true],
    ['with a lease while none is held', null, lease, false],
    ['with the lease of another node', lease, { ...lease, nodeId: 'b' }, false],
    ['with another lease of the same node and term', lease, { ...lease, token: 'token-2' }, false],
    ['with the lease of an earlier term', lease, { ...lease, term: 6 }, false],
    ['with the lease of a later term', lease, { ...lease, term: 8 }, true],
  ])('%s', (_, held, given, demanded) => {
    expect(isFenced(held, given, demanded)).toBe(true);
  });

  it.each<[string, Lease | null, Lease | null, boolean]>([
    ['with the live lease itself', lease, { ...lease }, false],
    ['with the live lease where one is demanded', lease, { ...lease }, true],
    ['without a lease while none is held and none demanded', null, null, false],
  ])('never %s', (_, held, given, demanded) => {
    expect(isFenced(held, given, demanded)).toBe(false);
  });
});

describe('a lease that comes with a call', () => {
  it.each<[string, unknown]>([
    ['lease', null],
    ['lease', 'a'],
    ['lease.nodeId', { ...lease, nodeId: '' }],
    ['lease.nodeId', { ...lease, nodeId: 'a b' }],
    ['lease.nodeId', { ...lease, nodeId: 'a'.repeat(129) }],
    ['lease.token', { ...lease, token: undefined }],
    ['lease.token', { ...lease, token: 'naïve' }],
    ['lease.term', { ...lease, term: 0 }],
    ['lease.term', { ...lease, term: 1.5 }],
    ['lease.term', { ...lease, term: '7' }],
  ])('is checked, and %s named: %o', (field, given) => {
    expect(() => checkChainWrite({ lease: given as Lease })).toThrow(
      expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: { field } }),
    );
  });

  it('is taken over as it was, and only what a lease has', () => {
    const own = { ...lease, seq: 9 };
    const context = checkChainWrite({ lease: own, operationId: 'one' });
    own.term = 8;
    expect(context).toEqual({ lease, operationId: 'one', signal: undefined });
    expect(checkChainWrite({}).lease).toBeNull();
  });
});

describe('a backend that checks no leases', () => {
  it('refuses to be opened for fenced calls only', async () => {
    expect(await scratch.open({ fenced: true }).catch(refusal)).toEqual(['ERR_MEMPOOL_UNSUPPORTED', undefined]);
  });

  it.each(['confirm', 'rollback'] as const)('refuses %s with a lease, and changes nothing', async (verb) => {
    await using store = await scratch.open();
    const call = verb === 'confirm' ? store.confirm(block, {}, { lease }) : store.rollback(null, { lease });
    expect(await call.catch(refusal)).toEqual(['ERR_MEMPOOL_UNSUPPORTED', undefined]);
    expect((await store.tip()).tick).toBe(0);
  });

  it('takes both without one', async () => {
    await using store = await scratch.open();
    expect(await store.confirm(block)).toMatchObject({ kind: 'applied' });
    expect(await store.rollback(null)).toMatchObject({ kind: 'rolled-back' });
  });
});

describe('the options of an opening', () => {
  it.each<[string, object]>([
    ['election', { election: '' }],
    ['election', { election: 'Watcher' }],
    ['election', { election: 'w'.repeat(65) }],
    ['fenced', { fenced: 1 }],
  ])('name the one that is wrong: %s', async (field, wrong) => {
    expect(await scratch.open(wrong as OpenOptions).catch(refusal)).toEqual(['ERR_MEMPOOL_INVALID', field]);
  });
});

describe('the ledger’s verbs', () => {
  /** Leases of one's own making, and the elections that were extended. */
  function open(held: Record<string, Lease | null>, options: OpenOptions = {}) {
    const extended: string[] = [];
    const leases: LeaseSource = {
      held: (election) => held[election] ?? null,
      extend: (election) => void extended.push(election),
    };
    const backend = defineBackend({
      name: 'led',
      capabilities: { durable: false, shared: false, lease: true, priority: false },
      open(given) {
        const ledger = new Ledger('epoch', { ...defaultRetention, ...given.retention });
        return ledgerDriver({
          ledger,
          options: given,
          leases,
          commit: (step) => ledger.apply(step),
          close: () => undefined,
        });
      },
    });
    return { extended, store: backend.open(options) };
  }

  it('look at the lease of the election that the pool names, and begin its time anew', async () => {
    const { extended, store } = open({ watcher: { ...lease, term: 1 }, blocks: lease }, { election: 'blocks' });
    expect(await (await store).confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
    expect(extended).toEqual(['blocks']);
  });

  it('begin no time anew where the tip stays', async () => {
    const { extended, store: opening } = open({ watcher: lease });
    const store = await opening;
    await store.confirm(block, {}, { lease });
    const far = { ...block, point: { slot: 3, hash: 'cd'.repeat(32) }, parent: 'ef'.repeat(32) };
    const kinds = [
      (await store.confirm(block, {}, { lease })).kind,
      (await store.confirm(far, {}, { lease })).kind,
      (await store.rollback(block.point, { lease })).kind,
      (await store.rollback(far.point, { lease })).kind,
    ];
    expect(kinds).toEqual(['duplicate', 'gap', 'unchanged', 'unknown-point']);
    expect(extended).toEqual(['watcher']);
  });

  it('begin nobody’s time anew where they are fenced, and leave the tip', async () => {
    const { extended, store } = open({ watcher: lease });
    const fenced = await (await store).confirm(block, {}, { lease: { ...lease, term: 6 } });
    expect(fenced).toEqual({ kind: 'fenced', tip: { point: null, tick: 0 } });
    expect(extended).toEqual([]);
  });

  it('answer a call that was answered before, whoever leads by now', async () => {
    const held: Record<string, Lease | null> = { watcher: lease };
    const { store } = open(held);
    const first = await (await store).confirm(block, {}, { lease, operationId: 'one' });
    held.watcher = { ...lease, nodeId: 'b', term: 8 };
    expect(await (await store).confirm(block, {}, { lease, operationId: 'one' })).toEqual(first);
    expect(await (await store).confirm(block, {}, { lease, operationId: 'two' })).toMatchObject({ kind: 'fenced' });
  });

  it('apply under its operation id what was fenced under it before', async () => {
    const held: Record<string, Lease | null> = {};
    const { store } = open(held);
    const call = { lease, operationId: 'one' };
    expect(await (await store).confirm(block, {}, call)).toMatchObject({ kind: 'fenced' });
    held.watcher = lease;
    expect(await (await store).confirm(block, {}, call)).toMatchObject({ kind: 'applied' });
  });
});
