import { once } from 'node:events';
import { join } from 'node:path';
import { Random } from 'mempool-conformance';
import type { MempoolStore, StoredTransaction } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { numbers, payloadOf } from '../numbered.ts';
import { start } from '../program.ts';
import { usageAfter } from './writer-calls.ts';

const kills = 50;
const mostCalls = 60;

/** Runs a writer until it is killed, in the middle of whatever it does then; how many calls were answered in all. */
async function writeUntilKilled(random: Random, path: string, first: number): Promise<number> {
  const child = start('./pool/writer.ts', [path, String(first), random.pick(['full', 'normal'])]);
  const enough = first + random.below(mostCalls);
  let answered = first;
  child.stdout?.setEncoding('utf8').on('data', (lines: string) => {
    answered = Number(lines.trimEnd().split('\n').at(-1)) + 1;
    if (answered > enough) child.kill('SIGKILL');
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  return answered;
}

async function everything(store: MempoolStore): Promise<StoredTransaction[]> {
  const all: StoredTransaction[] = [];
  for (const verb of ['peekPending', 'peekInflight'] as const)
    for (let after = 0, page = await store[verb]({ limit: 1000 }); page.length > 0; ) {
      all.push(...page);
      after = page.at(-1)?.seq ?? after;
      page = await store[verb]({ limit: 1000, after });
    }
  return all.sort((a, b) => a.seq - b.seq);
}

test(`D1, X1: ${kills} writers killed at any moment lose nothing that was answered and double nothing`, async () => {
  const random = new Random(Date.now());
  console.log(`crash test: seed ${random.seed}`);
  const path = join(scratchFolder(), 'pool.db');
  let answered = 0;
  for (let kill = 0; kill < kills; kill++) {
    answered = await writeUntilKilled(random, path, answered);
    await using store = await sqlite.open({ path });
    const usage = await store.usage();
    // One call may have been written and not answered: the next writer repeats it under its id.
    expect([usageAfter(answered), usageAfter(answered + 1)]).toContainEqual(usage);
    const all = await everything(store);
    expect(all.map(({ seq }) => seq)).toEqual(numbers(usage.lastSeq, 1));
    expect(all.every(({ payload, seq }) => payloadOf(seq - 1).equals(payload))).toBe(true);
  }
}, 600_000);
