/** The long form of two tests: 10,000 random requests to each kind of pool, and 20 kills of a server under load. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { loadServerConfig, startServer } from 'mempool-server';
import { seed as anySeed } from 'mempool-testkit';
import { type Document, fuzz } from './http/fuzz.ts';
import { killRuns } from './http/kills.ts';

const options = { seed: { type: 'string', default: String(anySeed) } } as const;
const seed = Number(parseArgs({ options }).values.seed);
console.log(`seed ${seed}`);

for (const ordering of ['fifo', 'priority']) {
  const config = await loadServerConfig({ mempool: { backend: 'ephemeral', ordering } }, { server: { port: 0 } });
  await using server = await startServer(config);
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  report(`10,000 random requests to a ${ordering} pool`, await fuzz(server.url, document, { seed, requests: 10_000 }));
}

const folder = await mkdtemp(join(tmpdir(), 'mempool-soak-'));
const mempool = { backend: 'sqlite', path: join(folder, 'pool.sqlite'), finalizeThreshold: 'never' };
const { acknowledged, lost, counted, recounted, exitCode } = await killRuns(mempool, { seed, kills: 20 });
await rm(folder, { recursive: true });
const faults = [...lost.map((hash) => `lost ${hash}`), ...(exitCode === 0 ? [] : [`exit code ${exitCode}`])];
if (!isDeepStrictEqual(counted, recounted)) faults.push(`${JSON.stringify(counted)}, not ${JSON.stringify(recounted)}`);
report(`20 kills, ${acknowledged} transactions acknowledged`, faults);

function report(what: string, faults: readonly string[]): void {
  console.log(`${what}: ${faults.length === 0 ? 'nothing wrong' : `${faults.length} faults`}`);
  for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
