import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RpcResponse } from '../src/rpc-port.ts';
import { watched } from '../src/watched-answer.ts';

const megabyte = 2 ** 20;

/** An answer of one message, to a client that takes so many bytes per second. Returns what it has got, and whether it was cut off. */
async function taken(bytes: number, perSecond: number): Promise<readonly [bytes: number, isCut: boolean]> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const destroy = vi.fn();
  const response = Object.assign(new EventEmitter(), { destroy, writableFinished: true }) as unknown as RpcResponse;
  const body = (async function* () {
    yield new Uint8Array(bytes);
  })();
  let got = 0;
  for await (const part of watched({ status: 200, body }, response).body ?? []) {
    await vi.advanceTimersByTimeAsync((part.length / perSecond) * 1_000);
    if (destroy.mock.calls.length > 0) break;
    got += part.length;
  }
  return [got, destroy.mock.calls.length > 0];
}

test('a client that reads a large answer slowly gets all of it', async () => {
  expect(await taken(32 * megabyte, 100_000)).toEqual([32 * megabyte, false]);
});

test('one that hardly reads is cut off', async () => {
  expect(await taken(32 * megabyte, 1_000)).toEqual([0, true]);
});
