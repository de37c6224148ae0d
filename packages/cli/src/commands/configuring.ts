import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError } from 'commander';
import {
  extensionSections,
  installedExtensions,
  type Scope,
  type ServerConfig,
  scopes,
  serverConfigSchema,
} from 'mempool-server';
import { configOf } from '../target/open-target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { pairs } from '../terminal/table.ts';
import { type Begin, several, unwritten } from './command.ts';

/** Adds `config` and `token`. */
export function addConfiguring(program: Command, begin: Begin): void {
  const config = program.command('config').description('write, check and describe configuration files');
  config
    .command('init')
    .description('write a configuration to start from; an existing file is left alone')
    .argument('[file]', 'its name', 'mempool.toml')
    .action((file: string) => init(begin, file));
  config
    .command('check')
    .description('check the configuration of -c, with the environment, and show what it comes to, without secrets')
    .action(() => check(begin));
  config
    .command('schema')
    .description('print the JSON Schema of a configuration, for editors')
    .action(async () => {
      const { terminal } = begin();
      await terminal.line(JSON.stringify(serverConfigSchema(await installedExtensions()), null, 2));
    });
  program
    .command('token')
    .description('make a token: prints it once, and its hash for the configuration')
    .option('--name <name>', 'names it in logs', tokenName, 'token')
    .option('--scope <scope...>', `what it may do: ${scopes.join(', ')}`, several(scopeOf))
    .option('--owner <owner...>', "with ledger:transfer: whose wallets it is for; all: everybody's", several(String))
    .action((options: TokenFlags) => token(begin, options));
}

const template = `# A mempool. \`mempool config check -c <this file>\` checks it, \`mempool serve -c <this file>\` runs it.
# Fields and defaults: the READMEs of mempool-core (configuration) and mempool-server.

[mempool]
backend = "sqlite"            # or "ephemeral": lost when the process ends; or "redis" with url = "redis://…",
                              # or with cluster = ["host:6379"], or with sentinels = ["host:26379"] and master_name
path = "mempool.sqlite"
ordering = "fifo"             # or "priority"; permanent once the pool is made
# max_txs = 100000

[server]
host = "127.0.0.1"            # any other address needs a token
port = 4420
# environment = "staging"

# [[server.tokens]]           # \`mempool token\` makes one
# name = "wallet"
# hash = "sha256:…"
# scopes = ["read", "submit"]

# [edges.blockfrost]          # protocols that wallets speak, each on a port of its own
# port = 3000

# [ledger]                    # wallets and transfers under /api/v1/ledger
# currency = "ADA"

# [sequencer]                 # a validator's epochs under /api/v1/epochs
# protocol = "protocol"
# market = "market"
# url = "redis://127.0.0.1"   # where its pools are

# [watcher]
# source = "./chain.js"       # a module that exports a ChainSource: the chain to follow
`;

async function init(begin: Begin, file: string): Promise<void> {
  const { terminal } = begin();
  await writeFile(file, template, { flag: 'wx' }).catch((error: unknown) => {
    throw unwritten(file, error);
  });
  await terminal.answer({ file }, () => `wrote ${file}: mempool serve -c ${file}`);
}

async function check(begin: Begin): Promise<void> {
  const { terminal, place } = begin();
  const config = withoutSecrets(await configOf(place, terminal));
  await terminal.answer(config, (style) => {
    const given = Object.entries(config).filter(([, fields]) => fields !== null);
    const parts = given.map(([section, fields]) => {
      const values = Object.entries(fields).filter(([, value]) => value !== undefined);
      const shown = values.map(([name, value]) => [name, valueText(value)] as const);
      return `${style('bold', `[${section}]`)}\n${pairs(shown)}`;
    });
    return `${parts.join('\n\n')}\n\n${style('green', 'valid')}`;
  });
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value === Number.POSITIVE_INFINITY ? 'unlimited' : value);
}

const hidden = '(hidden)';

/** Passwords have fields of their own and stand in URLs, in options of a backend too; hashes of tokens are nobody's business either. */
function withoutSecrets(config: ServerConfig): Readonly<Record<string, object>> {
  const tokens = config.server.tokens.map((token) => ({ ...token, hash: hidden }));
  const { extensions, hashOf: _, ...sections } = config;
  const prefix = 'edges.';
  const edges = Object.entries(extensions).flatMap(([section, { options }]) =>
    section.startsWith(prefix) ? [[section.slice(prefix.length), options]] : [],
  );
  const others = extensionSections.map((section) => [section, extensions[section]?.options ?? null]);
  const shown = {
    ...sections,
    ...Object.fromEntries(others),
    edges: Object.fromEntries(edges),
    server: { ...config.server, tokens },
  };
  return masked(shown) as Record<string, object>;
}

/** The value of a field without what may be secret in it. */
function masked(value: unknown, name = ''): unknown {
  if (value === null || value === undefined) return value;
  if (/password|secret|key$/i.test(name)) return hidden;
  if (name === 'options') return Object.fromEntries(Object.keys(value).map((option) => [option, hidden]));
  if (typeof value === 'string') return value.includes('://') ? withoutPassword(value) : value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => masked(each));
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, masked(each, field)]));
}

/** A key of a provider stands in the path or in the search of its URL. */
function withoutPassword(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return hidden;
  if (parsed.password !== '') parsed.password = 'hidden';
  if (parsed.username !== '') parsed.username = 'hidden';
  const isStore = /^(?:rediss?|unix):$/.test(parsed.protocol);
  const hasKey = parsed.search !== '' || (!isStore && parsed.pathname.length > 1);
  if (!hasKey) return parsed.username === '' && parsed.password === '' ? url : parsed.href;
  return isStore ? `${parsed.href.split('?', 1)[0]}?${hidden}` : `${parsed.protocol}//${parsed.host}/${hidden}`;
}

function tokenName(text: string): string {
  if (!/^[\w.-]{1,64}$/.test(text))
    throw new InvalidArgumentError('It must be 1–64 letters, digits, dots, dashes and underscores.');
  return text;
}

function scopeOf(text: string): Scope {
  const scope = scopes.find((each) => each === text);
  if (scope === undefined) throw new InvalidArgumentError(`It must be one of ${scopes.join(', ')}.`);
  return scope;
}

interface TokenFlags {
  readonly name: string;
  readonly scope?: readonly Scope[];
  readonly owner?: readonly string[];
}

async function token(begin: Begin, { name, scope = ['read'], owner }: TokenFlags): Promise<void> {
  const { terminal } = begin();
  if (scope.includes('ledger:transfer') !== (owner !== undefined))
    throw new Failure(exitCodes.usage, 'the scope ledger:transfer and --owner are given together');
  const owners = owner?.length === 1 && owner[0] === 'all' ? 'all' : owner;
  const made = randomBytes(32).toString('base64url');
  const hash = `sha256:${createHash('sha256').update(made).digest('hex')}`;
  await terminal.answer({ token: made, name, hash, scopes: scope, owners }, (style) =>
    [
      `${style('bold', made)}`,
      '',
      'Keep it: it is not stored, and not shown again. For the configuration:',
      '',
      '[[server.tokens]]',
      `name = "${name}"`,
      `hash = "${hash}"`,
      `scopes = ${JSON.stringify(scope)}`,
      ...(owners === undefined ? [] : [`owners = ${JSON.stringify(owners)}`]),
    ].join('\n'),
  );
}
