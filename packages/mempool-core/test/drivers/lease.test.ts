import { describe, expect, it } from 'vitest';
import { checkChainWrite } from '../../src/boundary/arguments.ts';
import { defineBackend } from '../../src/boundary/define-backend.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import type { Lease, LeaseSource } from '../../src/contract/lease.ts';
import { defaultRetention, type OpenOptions } from '../../src/contract/options.ts';
import { memoryDriver } from '../../src/drivers/memory-driver.ts';
import { MemoryPool } from '../../src/memory/memory-pool.ts';
import { scratch } from '../readme-backend.ts';

const lease: Lease = { nodeId: 'a', token: 'token-1', term: 7 };
const hash = 'ab'.repeat(32);
const block = { point: { slot: 1, hash }, seen: [], unseen: [] };

/** The code and the field of a refusal. */
function refusal(error: unknown): unknown {
  return isMempoolError(error) ? [error.code, error.details.field] : error;
}

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
    const call = verb === 'confirm' ? store.confirm(block, {}, { lease }) : store.rollback('origin', { lease });
    expect(await call.catch(refusal)).toEqual(['ERR_MEMPOOL_UNSUPPORTED', undefined]);
    expect((await store.tip()).tick).toBe(0);
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

it('the pool in memory looks at the lease of the election that the pool names, and begins its time anew', async () => {
  const extended: string[] = [];
  const held: Record<string, Lease> = { watcher: { ...lease, term: 1 }, blocks: lease };
  const leases: LeaseSource = {
    held: (election) => held[election] ?? null,
    extend: (election) => void extended.push(election),
  };
  const backend = defineBackend({
    name: 'led',
    capabilities: { durable: false, shared: false, lease: true, priority: false, records: false, import: false },
    open(options) {
      const memory = new MemoryPool('epoch', { ...defaultRetention, ...options.retention });
      return memoryDriver({ memory, options, leases, commit: (step) => memory.apply(step), close: () => undefined });
    },
  });
  await using store = await backend.open({ election: 'blocks' });
  expect(await store.confirm(block, {}, { lease })).toMatchObject({ kind: 'applied' });
  expect(extended).toEqual(['blocks']);
});
