#!/usr/bin/env node
// The command `mempool-sequencer`: one process of a validator.
import { parseArgs } from 'node:util';
import { type Role, roles } from './role.ts';

const usage = `usage: mempool-sequencer <${roles.join('|')}> <config.toml> [--host <address>] [--port <port>] [--name <name>]
       mempool-sequencer schema

Runs one process of a validator until SIGTERM, SIGINT or SIGHUP. \`schema\` prints the JSON Schema of the configuration.
Exit codes: 0 stopped, 1 failed, 2 wrong arguments or configuration, 75 try again later.`;

/** As of sysexits.h. */
const exitCodes = { failed: 1, usage: 2, tryAgain: 75 } as const;

const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort());

process.exit(await run(process.argv.slice(2)).catch(failed));

async function run(args: string[]): Promise<number> {
  const given = argumentsIn(args);
  if (given === null) return say(usage, exitCodes.usage);
  if (given.help) return say(usage, 0);
  const { role, file, ...options } = given;
  if (role === 'schema') {
    const { roleSchema } = await import('./schema.ts');
    process.stdout.write(`${JSON.stringify(roleSchema(), null, 2)}\n`);
    return 0;
  }
  const [{ loadRoleConfig }, { jsonLog }, { runRole }] = await Promise.all([
    import('./load-config.ts'),
    import('mempool-server'),
    import('./run-role.ts'),
  ]);
  await runRole(role, await loadRoleConfig(file, options), jsonLog(process.stderr), stop.signal);
  return 0;
}

interface Given {
  readonly role: Role | 'schema';
  readonly file: string;
  readonly help: boolean;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly name?: string | undefined;
}

/** `null` if they are wrong. */
function argumentsIn(args: string[]): Given | null {
  try {
    const text = { type: 'string' } as const;
    const options = { host: text, port: text, name: text, help: { type: 'boolean', short: 'h' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const { host, port, name, help = false } = values;
    const [word, file = ''] = positionals;
    const role = [...roles, 'schema' as const].find((each) => each === word) ?? (help ? 'schema' : null);
    const isWhole = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
    if (role === null || !isWhole || (role !== 'schema' && file === '' && !help)) return null;
    return { role, file, help, host, name, port: port === undefined ? undefined : Number(port) };
  } catch {
    return null;
  }
}

function say(words: string, code: number): number {
  process[code === 0 ? 'stdout' : 'stderr'].write(`${words}\n`);
  return code;
}

/** One line for the operator, and the exit code. */
async function failed(error: unknown): Promise<number> {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const missing = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (code === 'ERR_MODULE_NOT_FOUND' && missing !== undefined)
    return say(`mempool-sequencer: this role needs the package ${missing}: npm install ${missing}`, exitCodes.usage);
  const { isPassing } = await import('./run-role.ts').catch(() => ({ isPassing: () => false }));
  const exitCode = code === 'ERR_MEMPOOL_CONFIG' || code === 'ENOENT' ? exitCodes.usage : exitCodes.failed;
  return say(`mempool-sequencer: ${message}`, isPassing(error) ? exitCodes.tryAgain : exitCode);
}
