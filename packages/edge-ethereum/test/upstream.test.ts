import { freePort } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { call, edge, type RpcReply, refusal } from './rpc.ts';
import { startUpstream } from './upstream-process.ts';
import { alice, bob, signed } from './wallet.ts';

const priority = { backend: 'ephemeral', ordering: 'priority' };
const address = alice.address.toLowerCase();

test('nonces and balances are the chain’s', async () => {
  const upstream = await startUpstream();
  const { url } = await edge(priority, { upstream: upstream.url });
  await upstream.call('test_account', address, { nonce: '0x5' });
  expect(await refusal(url, 'eth_sendRawTransaction', await signed({ nonce: 4 }))).toBe(
    'nonce too low: next nonce 5, tx nonce 4',
  );
  await call(url, 'eth_sendRawTransaction', await signed({ nonce: 7 }));
  expect((await call(url, 'txpool_status')).result).toEqual({ pending: '0x0', queued: '0x1' });
  await call(url, 'eth_sendRawTransaction', await signed({ nonce: 5 }));
  expect((await call(url, 'txpool_status')).result).toEqual({ pending: '0x1', queued: '0x1' });
  expect((await call(url, 'eth_getTransactionCount', address, 'pending')).result).toBe('0x6');
  expect((await call(url, 'eth_getTransactionCount', address, 'latest')).result).toBe('0x5');
  expect((await call(url, 'txpool_contentFrom', address)).result).toMatchObject({
    pending: { 5: { nonce: '0x5' } },
    queued: { 7: { nonce: '0x7' } },
  });
  await upstream.call('test_account', bob.address.toLowerCase(), { balance: '0x1' });
  expect(await refusal(url, 'eth_sendRawTransaction', await signed({ nonce: 0 }, bob))).toMatch(
    /^insufficient funds for gas \* price \+ value: balance 1, tx cost 63000000000001, overshot 63000000000000$/,
  );
});

test('other methods go to the upstream, and its errors come back', async () => {
  const upstream = await startUpstream();
  const { url } = await edge(priority, { upstream: upstream.url });
  expect((await call(url, 'eth_gasPrice')).result).toBe('0x3b9aca00');
  expect((await call(url, 'eth_getFilterChanges', '0x1')).result).toEqual(['of the upstream']);
  expect((await call(url, 'eth_getTransactionReceipt', `0x${'1'.repeat(64)}`)).result).toBe(null);
  const { error } = await call(url, 'eth_nonsense');
  expect(error).toEqual({ code: -32601, message: 'unknown method eth_nonsense', data: { method: 'eth_nonsense' } });
  // These would pass the pool by.
  for (const method of ['eth_sendRawTransactionSync', 'eth_sendPrivateTransaction', 'eth_sendBundle'])
    expect((await call(url, method, '0x')).error?.message).toMatch('does not exist');
  const alone = await edge(priority);
  expect((await call(alone.url, 'eth_gasPrice')).error?.code).toBe(-32601);
});

test('an upstream that lies, or that is away, is named in no error, and is used again when it is well', async () => {
  const port = await freePort();
  const upstream = await startUpstream(port);
  const logged: string[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(JSON.stringify(line));
  const { url } = await edge(priority, { upstream: upstream.url }, {}, { log });
  const sound = (reply: RpcReply, code: number): void => {
    expect(reply.error?.code).toBe(code);
    expect(JSON.stringify(reply)).not.toMatch(/secret|127\.0\.0\.1|v2/);
  };
  for (const mode of ['other-id', 'no-json', 'no-rpc', 'no-result', 'odd-result', 'broken-off']) {
    await upstream.call('test_mode', mode);
    sound(await call(url, 'eth_sendRawTransaction', await signed({ nonce: 0 })), -32002);
    sound(await call(url, 'eth_getTransactionCount', address, 'pending'), -32002);
  }
  await upstream.call('test_mode', 'huge');
  sound(await call(url, 'eth_gasPrice'), -32002);
  await upstream.call('test_mode', 'fault');
  sound(await call(url, 'eth_gasPrice'), -32050);
  await upstream.kill();
  sound(await call(url, 'eth_gasPrice'), -32002);
  sound(await call(url, 'eth_sendRawTransaction', await signed({ nonce: 0 })), -32002);
  expect((await call(url, 'txpool_status')).result).toEqual({ pending: '0x0', queued: '0x0' });
  await startUpstream(port);
  const { result: hash } = await call(url, 'eth_sendRawTransaction', await signed({ nonce: 0 }));
  expect((await call(url, 'eth_getTransactionByHash', hash)).result).toMatchObject({ hash, nonce: '0x0' });
  expect(logged.join()).not.toMatch(/secret|v2/);
});
