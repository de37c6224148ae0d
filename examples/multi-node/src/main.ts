/** One node: takes transactions in, and applies the chain to the pool while it leads. Its log lines go to stdout. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { ChainPoint } from 'mempool-core';
import { type NodeParts, openNode } from 'mempool-node';
import { TimedChain } from './timed-chain.ts';

const help = `One node. Its chain is known by the clock: a block in every so many seconds since the beginning.

  --genesis <s>        when the chain begins, in seconds since 1970; required, the same for every node
  --id <id>            the node's id; default: by chance
  --url <url>          the Redis; default redis://127.0.0.1:6379
  --pool <name>        the pool; default mempool
  --block-seconds <n>  between blocks, 1–3600; default 1
  --ttl <ms>           how long a lease lasts, 500–60000; default 10000
  --help               this text`;

const text = { type: 'string' } as const;
const options = { id: text, url: text, pool: text, genesis: text, 'block-seconds': text, ttl: text };

try {
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
  if (values.help === true) console.log(help);
  else await runNode(values);
} catch (error) {
  process.exitCode = error instanceof RangeError || error instanceof TypeError ? 2 : 1;
  console.error(`multi-node: ${error instanceof Error ? error.message : error}`);
}

async function runNode(values: { readonly [name in keyof typeof options]?: string }): Promise<void> {
  const genesis = whole('genesis', values.genesis, 1, 2 ** 40);
  const blockSeconds = whole('block-seconds', values['block-seconds'] ?? '1', 1, 3_600);
  const ttlMs = whole('ttl', values.ttl ?? '10000', 500, 60_000);
  const { id = randomUUID(), url = 'redis://127.0.0.1:6379', pool = 'mempool' } = values;
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

  const source = new TimedChain({ genesis, blockSeconds });
  const say = (message: string) => console.log(`${id} ${message}`);
  // Every node has heard of the transaction that the next block will carry; the first one to submit it brings it in.
  const prepare = ({ pool: mempool, watcher }: NodeParts) => {
    const hear = async (point: ChainPoint | null) => {
      if (point === null) return;
      const { kind } = await mempool.submit(source.nextTransaction(point));
      if (kind === 'received') say(`brought in the transaction of the block after slot ${point.slot}`);
    };
    watcher?.on('skipped', ({ point }) => hear(point));
    watcher?.on('applied', ({ tip }) => hear(tip.point));
  };
  // A call gives up after two seconds: another node may do what this one cannot.
  const config = { backend: 'redis', deployment: 'multi-node', url, pool, timeoutMs: 2_000 } as const;
  const log = (_level: string, message: string) => say(message);
  await using node = await openNode(config, { source, nodeId: id, watcherLockTtlMs: ttlMs, prepare, log });
  // A signal may have come during the start.
  if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
  await node.close();
}

function whole(name: string, value: string | undefined, least: number, most: number): number {
  if (value === undefined) throw new RangeError(`--${name} must be given; --help lists the options`);
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new RangeError(`--${name} must be a whole number of ${least}–${most}, not '${value}'`);
}
