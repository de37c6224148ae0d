/** One node: takes transactions in, and applies the chain to the pool while it leads. Its log lines go to stdout. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type ChainPoint, openMempool, Watcher } from 'mempool-core';
import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
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
  const { id, url = 'redis://127.0.0.1:6379', pool = 'mempool' } = values;
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

  const chain = new TimedChain({ genesis, blockSeconds });
  // A call gives up after two seconds: another node may do what this one cannot.
  const config = { backend: 'redis', deployment: 'multi-node', url, pool, timeoutMs: 2_000 } as const;
  await using mempool = await openMempool(config, { redis });
  await using election = createElection(redisElection, { nodeId: id, url, pool, ttlMs });
  const say = (message: string) => console.log(`${election.id} ${message}`);
  await using watcher = new Watcher({ election, pool: mempool, source: chain, log: (_level, message) => say(message) });
  // Every node has heard of the transaction that the next block will carry; the first one to submit it brings it in.
  const hear = async (point: ChainPoint | null) => {
    if (point === null) return;
    const { kind } = await mempool.submit(chain.nextTransaction(point));
    if (kind === 'received') say(`brought in the transaction of the block after slot ${point.slot}`);
  };
  watcher.on('skipped', ({ point }) => hear(point));
  watcher.on('applied', ({ tip }) => hear(tip.point));
  await watcher.start();
  await election.start();
  // A signal may have come during the start.
  if (!stopped.signal.aborted) await once(stopped.signal, 'abort');
  await watcher.stop();
  await election.stop();
}

function whole(name: string, value: string | undefined, least: number, most: number): number {
  if (value === undefined) throw new RangeError(`--${name} must be given; --help lists the options`);
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new RangeError(`--${name} must be a whole number of ${least}–${most}, not '${value}'`);
}
