import { expect, test } from 'vitest';
import { operator, ownServer } from '../../../redis/test/own-server.ts';
import { fund, move, openOwn } from './own-ledger.ts';

/** Records that a server loses by a crash, and those that are made before the reader looks again. */
const histories: readonly (readonly [lost: number, later: number])[] = [
  [3, 1],
  [3, 3],
  [3, 5],
];

for (const [lost, later] of histories)
  test(`a reader is told where a restored ledger differs: ${lost} records lost, ${later} made since`, async () => {
    const server = await ownServer();
    const ledger = await openOwn({ url: server.url, timeoutMs: 20_000 });
    await fund(ledger, { a: 100n, b: 0n });
    const many = (name: string, count: number) =>
      ledger.batch(
        Array.from({ length: count }, (_, n) => ({ ...move(`${name}${n}`, 'a', 'b', 1n), kind: 'transfer' })),
      );
    await many('kept', 2);
    const kept = await ledger.head();
    await operator(server.url).save();
    const seen: string[] = [];
    const stop = new AbortController();
    const reading = (async () => {
      for await (const event of ledger.subscribe({ after: kept - 2, signal: stop.signal })) {
        const name = event.type === 'transfer' ? event.transfer.id : JSON.stringify(event);
        seen.push(name);
      }
    })();
    await many('lost', lost);
    await expect.poll(() => seen.at(-1)).toBe(`lost${lost - 1}`);
    await server.restart();
    await many('later', later);
    await ledger.transfer(move('end', 'a', 'b', 1n));
    await expect.poll(() => seen.at(-1)).toBe('end');
    stop.abort();
    await reading;
    const named = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);
    const told = JSON.stringify({ type: 'lagged', from: kept + lost + 1, to: kept });
    expect(seen).toEqual([...named('kept', 2), ...named('lost', lost), told, ...named('later', later), 'end']);
  });
