import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { ownProxy } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const slowMs = 120_000;
const url = inject('redisUrl');

class LoneNode {
  readonly id: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';

  constructor(id: string, ...args: readonly string[]) {
    this.id = id;
    const common = ['--conditions=mempool-source', program, '--id', id, '--url', url];
    this.#child = spawn(process.execPath, [...common, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.#ended = once(this.#child, 'close').then(([code]) => code);
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async says(line: string): Promise<this> {
    while (!this.#output.includes(`${this.id} ${line}\n`))
      await Promise.race([once(this.#child.stdout ?? this.#child, 'data'), this.#endsWithout(line)]);
    return this;
  }

  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.#ended;
  }

  async #endsWithout(line: string): Promise<never> {
    const code = await this.#ended;
    throw new Error(`the node ended with code ${code} and never said '${line}', but: ${this.#output}`);
  }
}

test('stop the watcher and another one takes over; started again, it stands by', { timeout: slowMs }, async () => {
  const pool = `lone-${randomUUID()}`;
  const genesis = Math.floor(Date.now() / 1_000);
  const args = ['--pool', pool, '--ttl', '10000', '--genesis', String(genesis)];
  const nodes = ['one', 'two'].map((id) => new LoneNode(id, ...args));
  const first = await Promise.race(nodes.map((node) => node.says('acquired watcher lock')));
  const other = nodes.find((node) => node !== first) as LoneNode;
  const operator = new Redis(url);
  onTestFinished(() => operator.disconnect());
  expect(await operator.get(`{${pool}}:watcher:lock`)).toBe(first.id);
  await other.says('not watcher, skipping confirm');

  expect(await first.stop()).toBe(0);
  await other.says('acquired watcher lock');
  expect(await operator.get(`{${pool}}:watcher:lock`)).toBe(other.id);
  const again = new LoneNode(first.id, ...args);
  await again.says('not watcher, skipping confirm');
  expect(await again.stop()).toBe(0);
  expect(await other.stop()).toBe(0);

  await using mempool = await openMempool({ backend: 'redis', url, pool }, { redis });
  const { tick, points } = await mempool.tip({ points: 1_000 });
  expect(points.map(({ slot }) => slot)).toEqual(Array.from({ length: tick }, (_, i) => genesis + tick - 1 - i));
});

test('a signal that comes while a node starts ends it too', { timeout: slowMs }, async () => {
  const link = await ownProxy(url);
  // Blocks are there at once, and the answers of Redis are not.
  link.slow(150, 150);
  const genesis = String(Math.floor(Date.now() / 1_000) - 5);
  const node = new LoneNode('one', '--pool', `lone-${randomUUID()}`, '--genesis', genesis, '--url', link.url);
  await node.says('not watcher, skipping confirm');
  expect(await node.stop()).toBe(0);
});

test.each([
  ['no beginning', [], '--genesis must be given; --help lists the options'],
  ['no time between blocks', ['--block-seconds', '0'], "--block-seconds must be a whole number of 1–3600, not '0'"],
  ['a ttl that is no number', ['--ttl', 'long'], "--ttl must be a whole number of 500–60000, not 'long'"],
  ['an unknown option', ['--kills', '3'], "Unknown option '--kills'"],
])('%s: the exit code is 2, and one line says why', (_, args, message) => {
  const genesis = args.length === 0 ? [] : ['--genesis', '5'];
  const run = spawnSync(process.execPath, ['--conditions=mempool-source', program, ...genesis, ...args]);
  expect([run.status, String(run.stdout), String(run.stderr)]).toEqual([2, '', expect.stringContaining(message)]);
  expect(String(run.stderr)).toMatch(/^multi-node: [^\n]+\n$/);
});
