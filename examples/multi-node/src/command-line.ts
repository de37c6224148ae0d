/** What `npm run demo:failover`, `npm run test:soak` and a node on its own may be told. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { faultIn, tieValues } from 'cardano-replay/option-values';
import { UsageError } from './usage-error.ts';

export interface CommonSettings {
  readonly nodes: number;
  readonly ttlMs: number;
  readonly seed: number;
  readonly chunk: string | null;
  readonly record: string | null;
  readonly json: boolean;
}

export interface DemoSettings extends CommonSettings {
  readonly kills: number;
  readonly url: string | null;
}

export interface SoakSettings extends CommonSettings {
  readonly faults: number;
  readonly minutes: number;
}

export interface LoneSettings {
  readonly id: string | undefined;
  readonly url: string;
  readonly pool: string;
  readonly genesis: number;
  readonly blockSeconds: number;
  readonly ttlMs: number;
}

const common = `  --nodes <n>       processes, 2–16; default 3
  --chunk <file>    a file of real Cardano blocks; without it a made-up chain
  --seed <n>        of the chain and the faults' order; default: by chance
  --record <file>   where everything is written down; default .data/failover-<seed>.jsonl
  --json            the result as JSON, on stdout
  --help            this text`;

export const demoHelp = `Several processes share one pool on Redis. One leads and applies the chain; the leader is killed again and
again, stopped past its time, cut off from Redis. In the end everything must be as on a single node.

  --kills <n>       how often the leader is killed, 1–1000; default 20
  --ttl <ms>        how long a lease lasts, 500–60000; default 2000
  --url <url>       the Redis to use; without it one is started for the run
${common}`;

export const soakHelp = `Random faults, several at once, to nodes and to Redis itself. In the end everything must be as on a single node.

  --faults <n>      how many at least, 1–100000; default 200
  --minutes <n>     no more faults after this time, 1–600; default 10
  --ttl <ms>        how long a lease lasts, 500–60000; default 1000
${common}`;

export const loneHelp = `One node on its own. Its chain is known by the clock: a block in every so many seconds since the beginning.

  --genesis <s>        when the chain begins, in seconds since 1970; required, the same for every node
  --id <id>            the node's id; default: by chance
  --url <url>          the Redis; default redis://127.0.0.1:6379
  --pool <name>        the pool; default mempool
  --block-seconds <n>  between blocks, 1–3600; default 1
  --ttl <ms>           how long a lease lasts, 500–60000; default 10000
  --help               this text`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const commonOptions = { nodes: text, ttl: text, chunk: text, seed: text, record: text, json: flag, help: flag };

type Values = { readonly [name: string]: string | boolean | undefined };

/** `null` when help was asked for. @throws UsageError naming the option */
export function readDemoSettings(args: readonly string[]): DemoSettings | null {
  const values = parse(args, { ...commonOptions, kills: text, url: text });
  if (values.help === true) return null;
  const kills = whole('kills', values.kills, { least: 1, most: 1_000, unnamed: 20 });
  return { ...commonSettings(values, 2_000), kills, url: redisUrl(values.url) };
}

/** `null` when help was asked for. @throws UsageError naming the option */
export function readSoakSettings(args: readonly string[]): SoakSettings | null {
  const values = parse(args, { ...commonOptions, faults: text, minutes: text });
  if (values.help === true) return null;
  const faults = whole('faults', values.faults, { least: 1, most: 100_000, unnamed: 200 });
  const minutes = whole('minutes', values.minutes, { least: 1, most: 600, unnamed: 10 });
  return { ...commonSettings(values, 1_000), faults, minutes };
}

/** `null` when help was asked for. @throws UsageError naming the option */
export function readLoneSettings(args: readonly string[]): LoneSettings | null {
  const values = parse(args, {
    id: text,
    url: text,
    pool: text,
    genesis: text,
    'block-seconds': text,
    ttl: text,
    help: flag,
  });
  if (values.help === true) return null;
  if (values.genesis === undefined) throw new UsageError('--genesis must be given: when the chain begins, in seconds');
  return {
    id: textOr('id', values.id, undefined),
    url: redisUrl(values.url) ?? 'redis://127.0.0.1:6379',
    pool: textOr('pool', values.pool, 'mempool'),
    genesis: whole('genesis', values.genesis, { least: 1, most: 2 ** 40, unnamed: 0 }),
    blockSeconds: whole('block-seconds', values['block-seconds'], { least: 1, most: 3_600, unnamed: 1 }),
    ttlMs: whole('ttl', values.ttl, { least: 500, most: 60_000, unnamed: 10_000 }),
  };
}

function commonSettings(values: Values, ttlMs: number): CommonSettings {
  return {
    nodes: whole('nodes', values.nodes, { least: 2, most: 16, unnamed: 3 }),
    ttlMs: whole('ttl', values.ttl, { least: 500, most: 60_000, unnamed: ttlMs }),
    seed: whole('seed', values.seed, { least: 0, most: 0xffff_ffff, unnamed: Math.floor(Math.random() * 2 ** 32) }),
    chunk: textOr('chunk', values.chunk, null),
    record: textOr('record', values.record, null),
    json: values.json === true,
  };
}

type Options = NonNullable<ParseArgsConfig['options']>;

function parse(args: readonly string[], options: Options): Values {
  try {
    return parseArgs({ args: tieValues(args, options), options }).values as Values;
  } catch (error) {
    throw new UsageError(`${faultIn(error)}; --help lists the options`);
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly unnamed: number;
}

function whole(name: string, value: Values[string], { least, most, unnamed }: Range): number {
  if (value === undefined) return unnamed;
  const number = Number(value);
  if (/^\d+$/.test(String(value)) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} must be a whole number of ${least}–${most}, not '${value}'`);
}

function textOr<Unnamed>(name: string, value: Values[string], unnamed: Unnamed): string | Unnamed {
  if (value === '') throw new UsageError(`--${name} needs a value`);
  return typeof value === 'string' ? value : unnamed;
}

function redisUrl(value: Values[string]): string | null {
  const url = textOr('url', value, null);
  if (url === null || /^rediss?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new UsageError('--url must be the address of a Redis, such as redis://127.0.0.1:6379');
}
