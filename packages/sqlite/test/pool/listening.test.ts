import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, transaction } from '../numbered.ts';
import { start } from '../program.ts';

test('E4: a process that only waits for events stays until another process makes one', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path });
  const child = start('./pool/listener.ts', [path]);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'listening' });
  await store.receive([transaction(1)]);
  expect(await lines.next()).toMatchObject({ value: '1' });
  expect(await exited).toEqual([0, null]);
});

test('O4: an open with a smaller log says what is missing once it is trimmed, and a call that changes nothing trims nothing', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using large = await sqlite.open({ path });
  for (const n of numbers(10)) {
    await large.receive([transaction(n)]);
    await large.drop([hashOf(n)], 'not wanted');
  }
  await using small = await sqlite.open({ path, maxFinalized: 3 });
  await small.markInflight([hashOf(99)]);
  expect(await small.dumpFinalized({ cursor: 1 })).toMatchObject({ missed: 0, entries: { length: 10 } });
  await small.receive([transaction(99)]);
  expect(await small.dumpFinalized({ cursor: 1 })).toMatchObject({ missed: 7, entries: { length: 3 } });
  expect(await small.usage()).toMatchObject({ logged: 3, lastLogSeq: 10 });
});
