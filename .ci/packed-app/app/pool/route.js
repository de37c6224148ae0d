import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ephemeral } from 'mempool-ephemeral';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';

export const dynamic = 'force-dynamic';

const hash = '0a'.repeat(32);

async function stageIn(mempool) {
  await mempool.submit({ hash, payload: new Uint8Array([1, 2, 3]), payloadType: 0 });
  const { stage } = await mempool.status(hash);
  await mempool.close();
  return stage;
}

export async function GET() {
  const pool = `app-${randomUUID()}`;
  return Response.json({
    ephemeral: await stageIn(await ephemeral.open()),
    sqlite: await stageIn(await sqlite.open({ path: join(process.env.PACKED_POOLS, `${pool}.sqlite`) })),
    redis: await stageIn(await redis.open({ url: process.env.PACKED_REDIS_URL, pool })),
  });
}
