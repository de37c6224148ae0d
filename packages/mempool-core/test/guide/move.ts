import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ephemeral } from 'mempool-ephemeral';

const path = join(await mkdtemp(join(tmpdir(), 'export-')), 'pool.ndjson');
const hash = 'a0'.repeat(32);

const source = await ephemeral.open({ pool: 'old' });
await source.receive([{ hash, payload: Buffer.from('ann 0 50 20') }]);
await source.markInflight([hash]);
const lines = Readable.from(source.export()).map((line: string) => `${line}\n`);
await pipeline(lines, createWriteStream(path));
await source.close();

// On any backend: the pool must be empty, and of the same ordering.
const target = await ephemeral.open({ pool: 'new' });
const outcome = await target.import(createInterface({ input: createReadStream(path) }));
const [status] = await target.status([hash]);
console.log(outcome.kind, status?.stage, `sent ${status?.attempts} time`);
await target.close();
