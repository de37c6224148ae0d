import { expect, test } from 'vitest';
import { FaultLog } from '../../src/http/fault-log.ts';
import { Problem } from '../../src/http/problem.ts';

test('of each code one error per second is logged, with the number of those that were not', () => {
  let now = 0;
  const lines: unknown[] = [];
  const log = new FaultLog(
    (_level, _message, fields) => lines.push(fields),
    () => now,
  );
  const down = new Problem(503, 'ERR_MEMPOOL_UNAVAILABLE', { detail: '' });
  const failed = new Problem(500, 'ERR_SERVER_INTERNAL', { detail: '' });
  for (const atMs of [0, 1, 999, 1_000, 1_001]) {
    now = atMs;
    log.add(down, new Error(`at ${atMs}`));
  }
  log.add(failed, 'other');
  expect(lines).toEqual([
    { code: 'ERR_MEMPOOL_UNAVAILABLE', error: 'Error: at 0' },
    { code: 'ERR_MEMPOOL_UNAVAILABLE', error: 'Error: at 1000', untold: 2 },
    { code: 'ERR_SERVER_INTERNAL', error: 'other' },
  ]);
});
