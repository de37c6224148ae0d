// Follows for `argv[3]` blocks what another store does, without a call of its own that writes; prints by how many bytes its memory grew
// in the second half. Every block satisfies 200 tags that no later one names.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqlite } from 'mempool-sqlite';
import { numbers, pointOf } from '../numbered.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const [path = '', blocks = ''] = process.argv.slice(2);
const few = { ordering: 'priority', maxRollback: 2, maxFinalized: 1, maxEvents: 1, synchronous: 'normal' } as const;
const writer = await sqlite.open({ path, ...few });
const follower = await sqlite.open({ path, ...few });

async function grownBy(from: number): Promise<number> {
  for (const block of numbers(Number(blocks) / 2, from)) {
    const provides = numbers(200).map((tag) => `${block}/${tag}`.padEnd(200, 'x'));
    await writer.confirm({ point: pointOf(block), seen: [], unseen: [], provides });
    await follower.usage();
  }
  collect();
  return process.memoryUsage().heapUsed;
}

const half = await grownBy(0);
const whole = await grownBy(Number(blocks) / 2);
await writer.close();
await follower.close();
console.log(JSON.stringify(whole - half));
