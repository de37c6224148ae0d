import { defaultThresholds, type IndexDump, type ReceiveOutcome } from 'mempool-core';
import { type DriverOptions, dumpOf, type ReceiveCall } from 'mempool-core/backend';
import { onTestFinished } from 'vitest';
import type { SqliteOptions } from '../../src/file/options.ts';
import { openSecond, openShared } from '../../src/open-file.ts';
import { PriorityChanges } from '../../src/priority/changes.ts';
import { PriorityStorage } from '../../src/priority/storage.ts';
import { transaction } from '../numbered.ts';

const anyone = { signal: undefined };
const verdict = {
  ...{ priority: 0n, sender: '', senderLimit: null, gas: 0, provides: [], requires: [] },
  ...{ expiresAt: null, expiresAtHeight: null, propagate: true },
};

/** A call of `receive` for one transaction, as a node carries it out. */
export function callOf(n: number): ReceiveCall {
  const submissions = [{ ...transaction(n), verdict, from: null }];
  return { submissions, moment: { now: null, height: null }, thresholds: defaultThresholds };
}

/** What one node of a pool keeps in memory, and what a new one reads from the file. */
export class Node {
  readonly #storage: PriorityStorage;
  readonly #openings: readonly unknown[];

  constructor(storage: PriorityStorage, openings: readonly unknown[]) {
    this.#storage = storage;
    this.#openings = openings;
  }

  /** How often it read the whole pool. */
  get loads(): number {
    return this.#openings.length;
  }

  receive(n: number): Promise<ReceiveOutcome[]> {
    return this.#storage.admit(callOf(n), { operationId: undefined, digest: undefined, signal: undefined });
  }

  remembered(): Promise<IndexDump> {
    return this.#storage.read(anyone, ({ index }) => dumpOf(index));
  }

  async stored(): Promise<IndexDump> {
    const { ordering: _, content: __, ...index } = await this.#storage.dump(anyone);
    return index;
  }
}

export function optionsOf(path: string): DriverOptions & SqliteOptions {
  return {
    path,
    pool: 'mempool',
    thresholds: defaultThresholds,
    retention: {},
    maxTxBytes: 1_048_576,
    inflightTtlMs: 86_400_000,
    ordering: 'priority',
    limits: {},
    now: null,
    election: 'watcher',
    fenced: false,
    timeoutMs: 60_000,
    clock: () => performance.now(),
    log: () => undefined,
  };
}

/** A node of its own on the pool's file, closed when the running test has finished. */
export async function openNode(path: string): Promise<Node> {
  const options = optionsOf(path);
  const file = await openShared(options);
  const openings: unknown[] = [];
  const openReader = () => {
    const reader = openSecond(options);
    openings.push(reader);
    return reader;
  };
  const shared = { changes: new PriorityChanges(file), openReader };
  const storage = new PriorityStorage({ file, fence: null, shared }, options);
  onTestFinished(() => storage.close());
  return new Node(storage, openings);
}
