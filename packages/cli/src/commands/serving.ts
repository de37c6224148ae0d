import type { Command } from 'commander';
import {
  type DemoOptions,
  jsonLog,
  type LoadOptions,
  loadChainSource,
  type RunningServer,
  startDemo,
  startServer,
} from 'mempool-server';
import { configOf } from '../target/open-target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { type Begin, type Session, wholeNumber } from './command.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly demo?: boolean;
  readonly folder?: string;
  readonly seed?: number;
}

/** Adds `serve`. */
export function addServing(program: Command, begin: Begin): void {
  program
    .command('serve')
    .description('run the pool as a service, until SIGINT, SIGTERM or SIGHUP')
    .option('--host <address>', 'listen on this address, in place of that of the configuration')
    .option('--port <number>', 'listen on this port; 0: a free one', wholeNumber(0, 65_535))
    .option('--demo', 'a pool of its own with a made-up chain and traffic, without a configuration')
    .option('--folder <folder>', 'with --demo: keep the pool in a SQLite file in this folder; default: in memory')
    .option('--seed <number>', 'with --demo: the same seed gives the same traffic and blocks', wholeNumber(0))
    .action((options: ServeOptions) => serve(begin, options));
}

async function serve(begin: Begin, { demo = false, folder, seed, ...listen }: ServeOptions): Promise<void> {
  const session = begin();
  const { terminal, place } = session;
  if (!demo && (folder !== undefined || seed !== undefined))
    throw new Failure(exitCodes.usage, '--folder and --seed belong to --demo');
  if (demo && place.config !== undefined) throw new Failure(exitCodes.usage, 'give -c or --demo, not both');
  const start = demo ? startingDemo(session, { folder, seed, server: listen }) : starting(session, listen);
  await using server = await start.catch((error: unknown) => {
    throw listenFailure(error);
  });
  const edges = Object.entries(server.edges);
  await terminal.answer({ url: server.url, edges: server.edges }, (style) =>
    [
      `listening on ${style('bold', server.url)}`,
      ...edges.map(([name, url]) => `  ${name} on ${style('bold', url)}`),
    ].join('\n'),
  );
  await stopped(terminal.signal);
}

async function starting({ terminal, place }: Session, listen: LoadOptions['server']): Promise<RunningServer> {
  const config = await configOf(place, terminal, listen);
  const source = config.watcher.source === null ? undefined : await loadChainSource(config.watcher.source);
  return startServer(config, { source, log: jsonLog(terminal.errors) });
}

function startingDemo({ terminal }: Session, options: DemoOptions): Promise<RunningServer> {
  return startDemo({ ...options, env: terminal.env, log: jsonLog(terminal.errors) });
}

/** What is wrong with the address, in the words of the options. */
function listenFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  switch (error.code) {
    case 'EADDRINUSE':
      return new Failure(exitCodes.failed, `the port is in use: --port 0 takes a free one (${error.message})`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Failure(exitCodes.usage, `the host is no address of this machine (${error.message})`);
    case 'EACCES':
      return new Failure(exitCodes.refused, `the port may not be used: take one above 1023 (${error.message})`);
    default:
      return error;
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
