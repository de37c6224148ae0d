// Receives without a pause between the lines `write` and `stop`: `writer.ts <path> <ordering> <own> <batch>`. It answers `count` and
// `stop` with what it did since the last answer, as JSON.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isMempoolError, type Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { numbers, submission } from '../numbered.ts';

const [path = '', ordering = '', own = '', batch = ''] = process.argv.slice(2);
const store = await sqlite.open({ path, ordering: ordering as Ordering, synchronous: 'normal' });
let next = Number(own) * 10_000_000;
let isWriting = false;
let answered = 0;
let failed: string[] = [];
let writing: Promise<void> = Promise.resolve();

async function write(): Promise<void> {
  while (isWriting) {
    const call = numbers(Number(batch), next).map((n) => submission(store.ordering, n));
    next += Number(batch);
    try {
      await store.receive(call);
      answered += 1;
    } catch (error) {
      failed.push(isMempoolError(error) ? error.code : String(error));
    }
  }
}

function tell(): void {
  writeSync(1, `${JSON.stringify({ answered, failed })}\n`);
  [answered, failed] = [0, []];
}

const orders: Readonly<Record<string, () => Promise<void>>> = {
  async write() {
    isWriting = true;
    writing = write();
  },
  async count() {
    tell();
  },
  async stop() {
    isWriting = false;
    await writing;
    tell();
  },
};

const lines = createInterface({ input: process.stdin });
lines.on('line', (order) => void orders[order]?.());
lines.on('close', () => void store.close().then(() => process.exit()));
tell();
