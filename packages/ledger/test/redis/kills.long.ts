import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { expect, inject, test } from 'vitest';
import { start } from '../../../redis/test/process.ts';
import { fund, openOwn } from './own-ledger.ts';

test('processes are killed at random fifty times: nothing that they were told is lost, and every chain is whole', {
  timeout: 600_000,
}, async () => {
  const name = randomUUID();
  const ledger = await openOwn({ url: inject('redisUrl'), name });
  await fund(ledger, { a: 10_000n, b: 10_000n });
  const told = new Map<string, string>();
  for (let round = 0; round < 10; round += 1) {
    const processes = Array.from({ length: 5 }, (_, n) =>
      start('../../ledger/test/redis/crasher.ts', [inject('redisUrl'), name, `${round}.${n}`]),
    );
    await Promise.all(
      processes.map(async (child) => {
        let lines = 0;
        const enough = 1 + Math.floor(Math.random() * 60);
        for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
          if (!line.endsWith(']')) continue;
          const [id, outcome] = JSON.parse(line) as [string, string];
          told.set(id, outcome);
          lines += 1;
          if (lines === enough) child.kill('SIGKILL');
        }
      }),
    );
  }
  expect(told.size).toBeGreaterThan(50);
  for (const [id, outcome] of told) expect((await ledger.findTransfer(id))?.outcome, id).toBe(outcome);
  for (const id of told.keys()) {
    if (!id.endsWith('.r')) continue;
    const other = await ledger.findTransfer(`${id.slice(0, -1)}t`);
    expect((await ledger.findTransfer(id))?.outcome === 'created', id).toBe(other?.outcome === 'created');
  }
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
});
