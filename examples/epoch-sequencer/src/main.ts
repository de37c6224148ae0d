// One process of a validator: `main.ts <role> <configuration file> [name]`. Ends at SIGTERM, and when its parent is gone.
import { flushCompileCache } from 'node:module';
import { isMempoolError } from 'mempool-core';
import { ElectionError } from 'mempool-election';
import { chainSideOf } from './process/chain-side.ts';
import { readConfig } from './process/config.ts';
import { type Role, roles } from './process/role.ts';
import { runRole } from './process/run-role.ts';

/** `EX_TEMPFAIL` of sysexits.h. */
const tryAgain = 75;

const [role, file, name] = process.argv.slice(2);
const known = roles.find((each) => each === role);
if (known === undefined || file === undefined) {
  console.error(`usage: main.ts <${roles.join('|')}> <configuration file> [name]`);
  process.exit(2);
}
try {
  await run(known, file, name ?? `${known}:${process.pid}`);
} catch (error) {
  console.error(error);
  // Whoever started it starts it again: such as when the store did not answer in time.
  process.exit(isPassing(error) ? tryAgain : 1);
}

/** Reports to the parent. The cache is written now, because a killed process writes nothing at its end. */
function working(): void {
  process.send?.('working');
  flushCompileCache();
}

function isPassing(error: unknown): boolean {
  return isMempoolError(error)
    ? error.retryable
    : error instanceof ElectionError && error.code === 'ERR_ELECTION_UNAVAILABLE';
}

async function run(role: Role, file: string, name: string): Promise<void> {
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  process.once('disconnect', () => process.exit(1));
  const config = readConfig(file);
  await runRole(role, { config, name, chain: chainSideOf(config), signal: ending.signal, working });
  // Only the channel to its parent would keep it alive.
  process.exit(0);
}
