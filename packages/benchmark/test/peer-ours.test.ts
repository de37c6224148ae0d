import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadPeerSubject, oursByPriority } from '../src/peers/ours.ts';
import { subjectPaths } from '../src/runner/context.ts';
import { freshTransactions, hashesOf } from '../src/workloads/sample.ts';

describe('ours by priority', () => {
  test('takes what pays the most first, whatever it is asked for, and confirms it', async () => {
    const subject = await loadPeerSubject(subjectPaths.ephemeral);
    const store = await oursByPriority(subject).open({ folder: '', url: '', name: randomUUID() });
    onTestFinished(() => store.close());
    const fee = (hash: string): number => Number.parseInt(hash.slice(-8), 16);
    const transactions = freshTransactions(20).map((transaction, i) => ({
      ...transaction,
      hash: `${transaction.hash.slice(0, -8)}${i.toString(16).padStart(8, '0')}`,
    }));
    await store.prepare?.(transactions);
    await store.add(transactions);
    const hashes = hashesOf(transactions);
    const taken = await store.take(hashes.slice(0, 5));
    expect(taken.map(fee)).toEqual([19, 18, 17, 16, 15]);
    expect(await store.confirm(taken)).toMatchObject({ kind: 'applied', confirmed: 5 });
  });
});
