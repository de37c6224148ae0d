import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RunningServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { eventsOf, firstEvents, jsonOf, postJson } from './client.ts';
import { served } from './served.ts';

/** Submits transactions with payloads of their own, in one call. */
async function fill({ url }: RunningServer, from: number, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => ({ payload: Buffer.from(`${from + i}`).toString('base64') }));
  expect((await postJson(`${url}/api/v1/transactions`, all)).status).toBe(200);
}

/** A client on a bare socket, which can stop reading. */
async function rawClient({ port }: RunningServer): Promise<{ readonly socket: Socket; readonly status: number }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  return { socket, status: Number(head.toString('latin1', 9, 12)) };
}

/** Collects the numbers of the events that a socket gets. */
function numbersOf(socket: Socket): number[] {
  const numbers: number[] = [];
  let rest = '';
  socket.on('data', (bytes: Buffer) => {
    rest += bytes.toString('latin1');
    for (const [, number] of rest.matchAll(/"eventSeq":(\d+)/g)) numbers.push(Number(number));
    rest = rest.slice(Math.max(rest.lastIndexOf('\n'), rest.length - 1_000) + 1);
  });
  return numbers;
}

test('of 2,000 event streams 1,000 are admitted, and each gets every event in order', {
  timeout: 120_000,
}, async () => {
  const server = await served();
  const clients = await Promise.all(Array.from({ length: 2_000 }, () => rawClient(server)));
  const admitted = clients.filter(({ status }) => status === 200);
  expect([admitted.length, clients.filter(({ status }) => status === 503).length]).toEqual([1_000, 1_000]);
  const numbers = admitted.map(({ socket }) => numbersOf(socket));
  for (let i = 0; i < 5; i++) await fill(server, i * 10, 10);
  const all = Array.from({ length: 50 }, (_, i) => i + 1);
  await expect.poll(() => numbers.filter((each) => each.length >= 50).length, { timeout: 60_000 }).toBe(1_000);
  for (const each of numbers) expect(each).toEqual(all);
  admitted[0]?.socket.destroy();
  await expect.poll(async () => (await rawClient(server)).status).toBe(200);
});

test('a client that does not read is cut off; the others get everything', { timeout: 120_000 }, async () => {
  const server = await served();
  const [slow, quick] = [await rawClient(server), await rawClient(server)];
  slow.socket.pause();
  const numbers = numbersOf(quick.socket);
  const clients = async () =>
    /^mempool_sse_clients (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1];
  // The kernel buffers some megabytes for a connection before the server notices anything.
  let count = 0;
  for (; count < 60_000 && (await clients()) === '2'; count += 1_000) await fill(server, count, 1_000);
  expect(await clients()).toBe('1');
  const cut = once(slow.socket, 'close');
  slow.socket.resume();
  await cut;
  await expect.poll(() => numbers.length).toBe(count);
  expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i + 1));
});

test('a stream resumes from any event, out of the hub or out of the log, and goes on live', async () => {
  const server = await served();
  const url = `${server.url}/api/v1/events`;
  await fill(server, 0, 300);
  const all = await firstEvents(await fetch(`${url}?after=origin`), 300);
  expect(all.map(({ data }) => JSON.parse(data).eventSeq)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  for (const at of [0, 150, 299]) {
    const expected = all.slice(at + 1);
    const resumed = await fetch(url, { headers: { 'last-event-id': all[at]?.id ?? '' } });
    await fill(server, 1_000 + at, 1);
    const told = await firstEvents(resumed, expected.length + 1);
    expect(told.slice(0, -1)).toEqual(expected);
    all.push(...told.slice(-1));
  }
});

test('filters leave other events out', async () => {
  const server = await served();
  const { hash } = await jsonOf(await postJson(`${server.url}/api/v1/transactions`, { payload: 'YQ==' }));
  const ofHash = await fetch(`${server.url}/api/v1/events?hash=0x${String(hash).toUpperCase()}`);
  const toStage = await fetch(`${server.url}/api/v1/events?stage=Propagated`);
  await fill(server, 0, 3);
  await server.pool.markInflight(String(hash));
  for (const response of [ofHash, toStage])
    expect(JSON.parse((await firstEvents(response, 1))[0]?.data ?? '')).toMatchObject({ hash, stage: 'Propagated' });
});

test('lost events are told as lagged, and the stream goes on', async () => {
  const server = await served({ backend: 'ephemeral', maxEvents: 100 });
  const [first] = await (async () => {
    const live = await fetch(`${server.url}/api/v1/events`);
    await fill(server, 0, 1);
    return firstEvents(live, 1);
  })();
  for (let i = 0; i < 12; i++) await fill(server, 1_000 * (i + 1), 1_000);
  const resumed = await fetch(`${server.url}/api/v1/events`, { headers: { 'last-event-id': first?.id ?? '' } });
  const [lagged, next] = await firstEvents(resumed, 2);
  expect(lagged?.event).toBe('lagged');
  const { missed } = JSON.parse(lagged?.data ?? '');
  expect(JSON.parse(next?.data ?? '').eventSeq).toBe(missed + 2);
});

test('a stopping server tells its streams, ends its waits and finishes what is in flight', async () => {
  const server = await served();
  const stream = await fetch(`${server.url}/api/v1/events`);
  const told = (async () => {
    const names: (string | undefined)[] = [];
    for await (const { event } of eventsOf(stream)) names.push(event);
    return names;
  })();
  const waiting = fetch(`${server.url}/api/v1/transactions/aa?wait=Confirmed&timeout=60s`);
  const submitted = Promise.all([fill(server, 0, 500), fill(server, 500, 500)]);
  await submitted;
  await server.close();
  expect((await told).at(-1)).toBe('end');
  expect((await waiting).status).toBe(503);
  await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
});
