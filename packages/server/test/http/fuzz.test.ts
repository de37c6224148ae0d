import { seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { type Document, fuzz } from './fuzz.ts';
import { served } from './served.ts';

const pools = {
  fifo: { backend: 'ephemeral' },
  priority: { backend: 'ephemeral', ordering: 'priority' },
};

for (const [name, config] of Object.entries(pools))
  test(`random requests to a ${name} pool get no 500 and no hang (seed ${seed})`, async () => {
    const { url } = await served(config, { exposePayloads: true });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
    expect(await fuzz(url, document, { seed, requests: 750 })).toEqual([]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
