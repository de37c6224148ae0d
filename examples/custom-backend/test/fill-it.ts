import { isMempoolError } from 'mempool-core';
import { journal } from '../src/index.ts';

await using store = await journal.open({ path: process.argv[2] ?? '' });
for (let received = 0; ; received++) {
  const hash = (received + 1).toString(16).padStart(64, '0');
  try {
    await store.receive([{ hash, payload: Buffer.alloc(1_000), payloadType: 0 }]);
  } catch (error) {
    const code = isMempoolError(error) ? error.code : String(error);
    console.log(JSON.stringify({ received, code, usage: await store.usage() }));
    break;
  }
}
