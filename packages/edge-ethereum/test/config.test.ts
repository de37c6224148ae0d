import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMempoolError } from 'mempool-core';
import { ethereumChain } from 'mempool-edge-ethereum/chain';
import { loadServerConfig } from 'mempool-server';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { edge } from './rpc.ts';
import { startUpstream } from './upstream-process.ts';

/** The field that is wrong, and whether the message has a secret. */
async function fault(work: Promise<unknown>): Promise<{ field: string | undefined; tells: boolean }> {
  const error: unknown = await work.then(
    () => null,
    (thrown) => thrown,
  );
  if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) throw new Error(`not a configuration error: ${String(error)}`);
  return { field: error.details.field, tells: error.message.includes('secret') };
}

function load(section: object): Promise<unknown> {
  return loadServerConfig({ mempool: { backend: 'ephemeral' }, edges: { ethereum: section } });
}

test('the URL of the upstream may be in a file', async () => {
  const file = join(scratchFolder(), 'url');
  writeFileSync(file, ' https://node.example/v2/secret\n');
  expect(await load({ chain_id: 1, upstream_file: file })).toMatchObject({
    extensions: {
      'edges.ethereum': { options: { port: 8545, chainId: 1, upstream: 'https://node.example/v2/secret' } },
    },
  });
  writeFileSync(file, 'secret');
  const upstreamFile = 'edges.ethereum.upstream_file';
  expect(await fault(load({ chain_id: 1, upstream_file: file }))).toEqual({ field: upstreamFile, tells: false });
  expect(await fault(load({ chain_id: 1, upstream_file: file, upstream: 'http://a' }))).toMatchObject({
    field: upstreamFile,
  });
});

test.for([
  [{}, 'edges.ethereum.chainId'],
  [{ chain_id: 0 }, 'edges.ethereum.chain_id'],
  [{ chain_id: 1, upstream: 'ws://secret' }, 'edges.ethereum.upstream'],
  [{ chain_id: 1, upstream: 'http://user:secret%@node.example' }, 'edges.ethereum.upstream'],
  [{ chain_id: 1, upstreem: 'x' }, 'edges.ethereum.upstreem'],
  [{ chain_id: 1, follows_floor: 'yes' }, 'edges.ethereum.follows_floor'],
] as const)('%o is refused', async ([section, field]) => {
  expect(await fault(load(section))).toEqual({ field, tells: false });
});

test('a chain needs the URL of a node', async () => {
  for (const url of ['secret', 'http://user:secret%@node.example'])
    expect(await fault((async () => ethereumChain(url))())).toEqual({ field: 'url', tells: false });
});

test('a fifo pool has no order of nonces', async () => {
  expect(await fault(edge({ backend: 'ephemeral' }))).toMatchObject({ field: 'edges.ethereum' });
});

test('an upstream of another chain is refused', async () => {
  const { url: upstream } = await startUpstream();
  expect(await fault(edge(undefined, { upstream, chainId: 1 }))).toEqual({
    field: 'edges.ethereum.chain_id',
    tells: false,
  });
});
