import { join } from 'node:path';
import type { MempoolError } from 'mempool-core';
import { encodeOutcome, maxOperations } from 'mempool-core/backend';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { openShared } from '../../src/open-file.ts';
import { TurnTable } from '../../src/priority/turn-table.ts';
import { optionsOf } from './node.ts';

test('X5: what became of a call is unknown when more operation ids were recorded since than are kept', async () => {
  const file = await openShared(optionsOf(join(scratchFolder(), 'pool.db')));
  onTestFinished(() => file.close());
  const table = new TurnTable(file, 'scope');
  const record = encodeOutcome('receive', []);
  let last = 0;
  const remember = (count: number): void =>
    file.atomically('beginWrite', () => {
      for (const end = last + count; last < end; ) {
        const { lastInsertRowid } = file.run('recordOperation', `${++last}`, record);
        file.run('trimOperations', Number(lastInsertRowid) - maxOperations);
      }
    });
  const settled = (id: string, place: number): string => {
    try {
      const left = { id, ids: 'ops', name: 'other', place } as const;
      return file.atomically('beginWrite', () => table.settle(left)) === null ? 'not carried out' : 'carried out';
    } catch (error) {
      return (error as MempoolError).code;
    }
  };
  const first = table.operationPlace();
  expect([first, settled('1', first)]).toEqual([0, 'not carried out']);
  remember(maxOperations);
  expect([settled('1', first), settled('never', first)]).toEqual(['carried out', 'not carried out']);
  const later = table.operationPlace();
  remember(1);
  expect([settled('1', first), settled('never', first)]).toEqual(Array(2).fill('ERR_MEMPOOL_OUTCOME_UNKNOWN'));
  expect(settled('never', later)).toBe('not carried out');
});
