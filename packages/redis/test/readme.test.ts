import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hashOf, point, transactions } from './chain.ts';
import { applyAsLeader } from './election/example.ts';
import { candidate, openLeases, win } from './election/node.ts';
import { example } from './example.ts';
import { openPool, operator, ownServer } from './own-server.ts';

const read = (file: string) => readFile(new URL(file, import.meta.url), 'utf8');
const readme = await read('../README.md');

/** The words of a `redis-cli` line, as the shell and redis-cli itself take them apart. */
function words(line: string): Buffer[] {
  const parts = line.match(/'[^']*'|\S+/g) ?? [];
  return parts
    .filter((part) => part !== '--quoted-input')
    .map((part) => part.replace(/^'(.*)'$/, '$1').replace(/^"(.*)"$/, '$1'))
    .map((part) =>
      Buffer.from(
        part.replace(/\\x([\da-f]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`))),
        'latin1',
      ),
    );
}

const commands = [...new Set(Array.from(readme.matchAll(/`redis-cli ([^`]+)`/g), ([, line]) => line as string))];

test('the example of the README is a program that runs', async () => {
  expect(readme).toContain(`\`\`\`ts\n${await read('./example.ts')}\`\`\``);
  const server = await ownServer('--appendonly', 'yes');
  expect(await example(server.url)).toEqual(['Pending', 'Propagated', 'Confirmed']);
});

test('the example of an election is a program that runs', async () => {
  expect(readme).toContain(`\`\`\`ts\n${await read('./election/example.ts')}\`\`\``);
  const server = await ownServer('--appendonly', 'yes');
  expect(await applyAsLeader(server.url, 'node-1')).toBe('applied');
  expect(await applyAsLeader(server.url, 'node-2')).toBe('duplicate');
});

test('every redis-cli line of the README is answered, the counting ones with what usage says', async () => {
  const server = await ownServer();
  const { store } = await openPool({ url: server.url, keyPrefix: 'dolos:mempool' });
  await store.receive([
    ...transactions(...Array(10).keys()),
    { hash: 'abab', payload: Buffer.from('x'), payloadType: 0 },
  ]);
  await store.markInflight([0, 1, 2, 3, 4, 5].map(hashOf), { operationId: 'mine' });
  await store.markAcknowledged([hashOf(0), hashOf(1)]);
  await store.drop([hashOf(6)], 'failed');
  await store.confirm({ point: point(1), seen: [hashOf(5)] });
  const admin = operator(server.url);
  const ask = (line: string) => {
    const [command, ...args] = words(line) as [Buffer, ...Buffer[]];
    return admin.callBuffer(command.toString(), ...args);
  };
  const leases = await openLeases({ url: server.url, keyPrefix: 'dolos:mempool' });
  await leases.heartbeat(candidate('node-1'), 10_000);
  await win(leases, 'node-1');
  const unanswered: string[] = [];
  for (const line of commands) if ((await ask(line)) === null) unanswered.push(line);
  expect(unanswered).toEqual([]);
  const counts = await Promise.all(commands.filter((line) => line.startsWith('ZCOUNT')).map(ask));
  const { pending, propagated, acknowledged, confirmed, logged } = await store.usage();
  expect(counts).toEqual([pending, propagated, acknowledged, confirmed]);
  expect(counts).toEqual([4, 3, 2, 1]);
  expect(await ask("HLEN '{dolos:mempool}:log'")).toBe(logged);
  expect(
    ((await ask(commands.find((line) => line.includes(':body') && line.includes('HGET')) ?? '')) as Buffer)[6],
  ).toBe(0x78);
});

test('the redis-cli lines of the README show who leads, and end it', async () => {
  const server = await ownServer();
  const leases = await openLeases({ url: server.url, keyPrefix: 'dolos:mempool' });
  const { term } = await win(leases, 'node-1');
  const admin = operator(server.url);
  const answers: unknown[] = [];
  for (const line of commands.filter((each) => each.includes(':watcher:'))) {
    const [command, ...args] = words(line) as [Buffer, ...Buffer[]];
    answers.push(await admin.call(command.toString(), ...args));
  }
  const [leader, seconds, , highest, members, heartbeat, ended] = answers;
  expect([leader, highest, heartbeat, ended]).toEqual(['node-1', String(term), '7 node-1.example:3000', 1]);
  expect(seconds).toBeOneOf([5, 6, 7, 8, 9, 10]);
  expect((members as unknown[]).flat()[0]).toBe('node-1');
  expect(await leases.observe()).toEqual({ lease: null, term });
});
