import { redis } from 'mempool-redis';

/** The example of the README: two nodes on one pool, each seeing what the other does. */
export async function example(url: string): Promise<string[]> {
  await using here = await redis.open({ url, keyPrefix: 'dolos:mempool', log: console.log });
  await using there = await redis.open({ url, keyPrefix: 'dolos:mempool', log: console.log });

  const events = await there.subscribe();
  const hash = 'ab'.repeat(32);
  await here.receive([{ hash, payload: Buffer.from('84a4…', 'utf8'), payloadType: 6 }]);
  await there.markInflight([hash]);
  await here.confirm({ point: { slot: 1, hash: 'b1'.repeat(32) }, seen: [hash] });

  const stages: string[] = [];
  for await (const event of events) {
    if (event.kind === 'transaction') stages.push(event.stage);
    if (stages.at(-1) === 'Confirmed') break;
  }
  return stages;
}
