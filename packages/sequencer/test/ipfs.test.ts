import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { expect, onTestFinished, test } from 'vitest';
import { batchCid, contentOf, ipfsPublisher } from '../src/ipfs/index.ts';

const leaves = [
  { project: 'btc', cid: 'bafy1' },
  { project: 'eth', cid: 'bafy2' },
];
const batch = { epoch: 7, root: 'ab'.repeat(32), leaves };

/** A node that takes blocks and computes their ids from the bytes that it got. */
async function node(
  answer: (id: string, response: ServerResponse) => void,
): Promise<{ url: string; stored: Map<string, string> }> {
  const stored = new Map<string, string>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    expect([request.method, pathname, searchParams.get('cid-codec')]).toEqual(['POST', '/api/v0/block/put', 'raw']);
    const sent = await buffer(request);
    const form = await new Response(new Uint8Array(sent), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const content = new Uint8Array(await (form.get('data') as File).arrayBuffer());
    const id = CID.createV1(0x55, await sha256.digest(content)).toString();
    stored.set(id, Buffer.from(content).toString());
    answer(id, response);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stored };
}

const asKubo = (id: string, response: ServerResponse): void => void response.end(JSON.stringify({ Key: id, Size: 1 }));

test('a batch is uploaded as one block under the id that is computed here', async () => {
  const { url, stored } = await node(asKubo);
  const cid = await ipfsPublisher({ url })(batch);
  expect(cid).toBe(await batchCid(batch));
  expect(JSON.parse(stored.get(cid) ?? '')).toEqual(batch);
  expect(await ipfsPublisher({ url: `${url}/` })(batch)).toBe(cid);
  expect(stored.size).toBe(1);
});

test('the id is a CIDv1 of the bytes: other leaves, another id', async () => {
  const cid = CID.parse(await batchCid(batch));
  expect([cid.version, cid.code]).toEqual([1, 0x55]);
  expect(cid.multihash.digest).toEqual((await sha256.digest(contentOf(batch))).digest);
  expect(await batchCid({ ...batch, leaves: leaves.slice(1) })).not.toBe(String(cid));
  // Of the bytes, and of no other field of the caller's object.
  expect(await batchCid({ ...batch, signature: 'x' } as typeof batch)).toBe(String(cid));
});

test('without a node the batch only gets its id', async () => {
  expect(await ipfsPublisher({ url: null })(batch)).toBe(await batchCid(batch));
});

test.each([
  ['refuses', (_: string, response: ServerResponse) => void response.writeHead(500).end(), 'answered 500'],
  ['stores other bytes', (id: string, response: ServerResponse) => asKubo(`${id}x`, response), 'and not as'],
  ['answers no JSON', (_: string, response: ServerResponse) => void response.end('<html>'), 'and not as'],
])('a node that %s is an error, so that the batch is published again', async (_, answer, words) => {
  const { url } = await node(answer);
  await expect(ipfsPublisher({ url })(batch)).rejects.toThrow(words);
});

test('a node that does not answer in time is an error', async () => {
  const { url } = await node(() => undefined);
  await expect(ipfsPublisher({ url, timeoutMs: 50 })(batch)).rejects.toThrow('does not answer');
});
