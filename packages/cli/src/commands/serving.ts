import type { Command } from 'commander';
import {
  jsonLog,
  loadChainSource,
  type RunningServer,
  type ServerConfig,
  type StartServerOptions,
  startServer,
} from 'mempool-server';
import { configOf } from '../target/open-target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { type Begin, wholeNumber } from './command.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
}

/** Adds `serve`. */
export function addServing(program: Command, begin: Begin): void {
  program
    .command('serve')
    .description('run the pool as a service, until SIGINT or SIGTERM')
    .option('--host <address>', 'listen on this address, in place of that of the configuration')
    .option('--port <number>', 'listen on this port; 0: a free one', wholeNumber(0))
    .action((options: ServeOptions) => serve(begin, options));
}

async function serve(begin: Begin, options: ServeOptions): Promise<void> {
  const { terminal, place } = begin();
  const config = await configOf(place, terminal, options);
  const source = config.watcher.source === null ? undefined : await loadChainSource(config.watcher.source);
  await using server = await started(config, { source, log: jsonLog(terminal.errors) });
  await terminal.answer({ url: server.url }, (style) => `listening on ${style('bold', server.url)}`);
  await stopped(terminal.signal);
}

async function started(config: ServerConfig, options: StartServerOptions): Promise<RunningServer> {
  const { host, port } = config.server;
  return startServer(config, options).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE')
      throw new Failure(exitCodes.failed, `port ${port} of ${host} is in use: --port 0 takes a free one`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Failure(exitCodes.usage, `${host} is no address of this machine`);
    if (code === 'EACCES') throw new Failure(exitCodes.refused, `port ${port} may not be used: take one above 1023`);
    throw error;
  });
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
