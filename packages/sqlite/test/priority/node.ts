import { defaultThresholds } from 'mempool-core';
import { type DriverOptions, dumpOf, dumpOfParts, type IndexDump } from 'mempool-core/backend';
import { onTestFinished } from 'vitest';
import { Fence } from '../../src/election/fence.ts';
import { hostClock } from '../../src/election/lease-clock.ts';
import type { SqliteOptions } from '../../src/file/options.ts';
import { openSecond, openShared } from '../../src/open-file.ts';
import { CopiedFile } from '../../src/pool/copied-file.ts';
import { exportedParts } from '../../src/pool/exported-parts.ts';
import { exportReads } from '../../src/priority/format.ts';
import { PriorityStorage } from '../../src/priority/storage.ts';

const anyone = { signal: undefined };
/** What one node of a pool keeps in memory, and what a new one reads from the file. */
export class Node {
  readonly #storage: PriorityStorage;

  constructor(storage: PriorityStorage) {
    this.#storage = storage;
  }

  remembered(): Promise<IndexDump> {
    return this.#storage.read(anyone, ({ index }) => dumpOf(index));
  }

  async stored(): Promise<IndexDump> {
    const {
      ordering: _,
      content: __,
      ...index
    } = await this.#storage.look(anyone, () =>
      dumpOfParts('priority', [...exportedParts(this.#storage.file, exportReads(this.#storage.file))]),
    );
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
    damage: () => undefined,
  };
}

/** A node of its own on the pool's file, closed when the running test has finished. */
export async function openNode(path: string): Promise<Node> {
  const options = optionsOf(path);
  const file = await openShared(options);
  const fence = new Fence(file, hostClock(), options);
  const copied = new CopiedFile(file, (copy) => openSecond({ ...options, path: copy }));
  const storage = new PriorityStorage({ file, fence, openReader: () => openSecond(options), copied }, options);
  onTestFinished(() => storage.close());
  return new Node(storage);
}
