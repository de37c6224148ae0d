import { describe, expect, it } from 'vitest';
import { checkChainWrite } from '../../src/boundary/arguments.ts';
import { isMempoolError } from '../../src/contract/errors.ts';
import type { Lease } from '../../src/contract/lease.ts';
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
