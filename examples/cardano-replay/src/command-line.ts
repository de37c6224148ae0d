/** What `npm start -- …` may be told. */
import { readOptions } from 'mempool-testkit';
import { UsageError } from './replay-error.ts';

const backendNames = ['ephemeral', 'sqlite', 'redis'] as const;
type BackendName = (typeof backendNames)[number];

export interface Settings {
  /** The chunk file; `null` for the made-up chain. */
  readonly file: string | null;
  readonly backend: BackendName | null;
  readonly url: string | null;
  readonly path: string | null;
  readonly config: string | null;
  /** Every how many blocks a fork is played; 0 for none. */
  readonly forkEvery: number;
  readonly json: boolean;
  /** Show the pool in a browser meanwhile. */
  readonly dashboard: boolean;
}

/** The made-up chain has forks unless told otherwise; a real one has those it has. */
const syntheticForkEvery = 7;

export const help = `Replays a chain through a mempool: every transaction is received, marked in flight and acknowledged,
then its block confirms it. Run again, it goes on where it stopped.

npm start                      a made-up chain, always the same, with forks
npm start -- <file.chunk>      real Cardano blocks (Alonzo or later)

  --backend <name>    ephemeral, sqlite (default) or redis
  --url <url>         the Redis to use; without it one is started for the run, kept under .data/redis
  --path <file>       the SQLite file; default .data/<pool>.sqlite
  --config <file>     pool settings, TOML or JSON; the options above win
  --fork-every <n>    every n blocks: undo the block, apply an empty one in its place, undo that, apply
                      the right one again; 0 for never (default: ${syntheticForkEvery} for the made-up chain, 0 for a file)
  --json              end with one line of JSON
  --no-dashboard      do not show the pool in a browser while the chain is replayed
  --help              this text`;

/** `null` if help was asked for. @throws UsageError naming the option */
export function readCommandLine(args: readonly string[]): Settings | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  if (positionals.length > 1) throw new UsageError(`one chunk file at a time, not ${positionals.length}`);
  const file = positionals[0] ?? null;
  const backend = values.backend === undefined ? null : backendName(values.backend);
  const { url = null, path = null, config = null } = values;
  const forkEvery = forkInterval(values['fork-every'], file === null ? syntheticForkEvery : 0);
  return { file, backend, url, path, config, forkEvery, json: values.json, dashboard: !values['no-dashboard'] };
}

const options = {
  backend: { type: 'string' },
  url: { type: 'string' },
  path: { type: 'string' },
  config: { type: 'string' },
  'fork-every': { type: 'string' },
  json: { type: 'boolean', default: false },
  'no-dashboard': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return readOptions(args, options);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; --help lists the options`);
  }
}

function backendName(text: string): BackendName {
  const name = backendNames.find((known) => known === text);
  if (name === undefined) throw new UsageError(`--backend must be ${backendNames.join(', ')}, not '${text}'`);
  return name;
}

function forkInterval(text: string | undefined, unnamed: number): number {
  if (text === undefined) return unnamed;
  const blocks = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(blocks)) return blocks;
  throw new UsageError(`--fork-every must be a whole number of blocks, not '${text}'`);
}
