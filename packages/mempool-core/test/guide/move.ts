import { createReadStream } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { decodeDump, encodeDump } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

const path = join(await mkdtemp(join(tmpdir(), 'dump-')), 'pool.ndjson');
const hash = 'a0'.repeat(32);

const source = await ephemeral.open({ pool: 'old' });
await source.receive([{ hash, payload: Buffer.from('ann 0 50 20') }]);
await source.markInflight([hash]);
const { ordering, content } = await source.dump();
await writeFile(
  path,
  encodeDump({ ordering, content }).map((line) => `${line}\n`),
);
await source.close();

// On any backend: the pool must be new, and of the same ordering.
const target = await ephemeral.open({ pool: 'new' });
const outcome = await target.restore(await decodeDump(createInterface({ input: createReadStream(path) })));
const [status] = await target.checkStatus([hash]);
console.log(outcome.kind, status?.stage, `sent ${status?.attempts} time`);
await target.close();
