/** The options of `npm run demo:failover` and `npm run test:soak`. */
import { readOptions } from 'mempool-testkit';
import { UsageError } from './program.ts';

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

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const commonOptions = { nodes: text, ttl: text, chunk: text, seed: text, record: text, json: flag, help: flag };

type Values = { readonly [name: string]: string | boolean | undefined };

/** `null` when help was asked for. @throws UsageError naming the option */
export function readDemoSettings(args: readonly string[]): DemoSettings | null {
  const values = read(args, { ...commonOptions, kills: text, url: text });
  if (values.help === true) return null;
  const kills = whole('kills', values.kills, { least: 1, most: 1_000, unnamed: 20 });
  return { ...commonSettings(values, 2_000), kills, url: redisUrl(values.url) };
}

/** `null` when help was asked for. @throws UsageError naming the option */
export function readSoakSettings(args: readonly string[]): SoakSettings | null {
  const values = read(args, { ...commonOptions, faults: text, minutes: text });
  if (values.help === true) return null;
  const faults = whole('faults', values.faults, { least: 1, most: 100_000, unnamed: 200 });
  const minutes = whole('minutes', values.minutes, { least: 1, most: 600, unnamed: 10 });
  return { ...commonSettings(values, 1_000), faults, minutes };
}

export interface SentinelSettings {
  readonly faults: number;
  readonly minReplicas: number;
  readonly downAfterMs: number;
  readonly ttlMs: number;
}

export const sentinelHelp = `Fail-overs of a master with two replicas and three Sentinels, under load: kill -9, SIGSTOP, a partition,
SENTINEL FAILOVER. What was answered must be there, or its loss reported; blocks must be applied once and in order.

  --faults <n>        how many, 1–10000; default 50
  --min-replicas <n>  how many replicas a write waits for, 0–2; default 1
  --down-after <ms>   when a Sentinel holds the master for down, 100–60000; default 1000
  --ttl <ms>          how long a lease lasts, 500–60000; default 2000
  --help              this text`;

/** `null` when help was asked for. @throws UsageError naming the option */
export function readSentinelSettings(args: readonly string[]): SentinelSettings | null {
  const values = read(args, { faults: text, 'min-replicas': text, 'down-after': text, ttl: text, help: flag });
  if (values.help === true) return null;
  return {
    faults: whole('faults', values.faults, { least: 1, most: 10_000, unnamed: 50 }),
    minReplicas: whole('min-replicas', values['min-replicas'], { least: 0, most: 2, unnamed: 1 }),
    downAfterMs: whole('down-after', values['down-after'], { least: 100, most: 60_000, unnamed: 1_000 }),
    ttlMs: whole('ttl', values.ttl, { least: 500, most: 60_000, unnamed: 2_000 }),
  };
}

function commonSettings(values: Values, ttlMs: number): CommonSettings {
  return {
    nodes: whole('nodes', values.nodes, { least: 2, most: 16, unnamed: 3 }),
    ttlMs: whole('ttl', values.ttl, { least: 500, most: 60_000, unnamed: ttlMs }),
    seed: whole('seed', values.seed, { least: 0, most: 0xffff_ffff, unnamed: Math.floor(Math.random() * 2 ** 32) }),
    chunk: textOrNull('chunk', values.chunk),
    record: textOrNull('record', values.record),
    json: values.json === true,
  };
}

function read(args: readonly string[], options: Parameters<typeof readOptions>[1]): Values {
  try {
    const { values, positionals } = readOptions(args, options);
    if (positionals.length > 0) throw new Error(`Unexpected argument '${positionals[0]}'`);
    return values as Values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; --help lists the options`);
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

function textOrNull(name: string, value: Values[string]): string | null {
  if (value === '') throw new UsageError(`--${name} needs a value`);
  return typeof value === 'string' ? value : null;
}

function redisUrl(value: Values[string]): string | null {
  const url = textOrNull('url', value);
  if (url === null || /^rediss?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new UsageError('--url must be the address of a Redis, such as redis://127.0.0.1:6379');
}
