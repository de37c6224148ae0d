import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Mempool } from 'mempool-core';
import { createElection, type Election, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { redis, redisElection } from 'mempool-redis';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import type { NamespaceOptions } from '../src/index.ts';

/** Where the processes of one validator keep their pools. */
export interface Home extends Pick<NamespaceOptions, 'openPool' | 'removePool'> {
  /** The election of the namespace whose control pool has this name. */
  elect(control: string): Election;
  /** Names of the keys, files or pools that are left. */
  content(): Promise<readonly string[]>;
  close(): Promise<void>;
}

type EpochLimits = Parameters<NamespaceOptions['openPool']>[1];

/** The clock of the store, in the place of its own. Pools of messages and parts keep the store's own, because their retries take time. */
type StoreClock = (() => number) | undefined;

function clockOf(name: string, now: StoreClock): { readonly now?: () => number } {
  const hasTime = /:(parts|incoming|outgoing)$/.test(name);
  return now === undefined || hasTime ? {} : { now };
}

/** Claims end soon, so that tests of killed processes are short. */
const sweeping = { sweepEveryMs: 50 };
/** No call is to run out of time, however busy the machine is. */
const patient = { timeoutMs: 60_000 };
/** No test waits for a lease to end, and a busy machine must not end one. */
const electing = { ttlMs: 20_000, jitterMs: 0, pollMs: 50 };

/** In memory, for one process: whoever opens a pool gets the same. */
export function memoryHome(now?: StoreClock): Home {
  const leases = new Leases();
  const stores = new Map<string, Promise<Mempool>>();
  const open = (pool: string, limits: EpochLimits): Promise<Mempool> => {
    const known = stores.get(pool) ?? ephemeral.open({ pool, leases, ...limits, ...sweeping, ...clockOf(pool, now) });
    stores.set(pool, known);
    return known;
  };
  return {
    openPool: async (name, limits) => kept(await open(name, limits)),
    removePool: async (name) => void stores.delete(name),
    elect: () => createElection(inProcessElection, { ...electing, leases }),
    content: async () => [...stores.keys()],
    close: async () => void (await Promise.all([...stores.values()].map(async (store) => (await store).close()))),
  };
}

/** A store that stays open, because it is its only copy. */
function kept(store: Mempool): Mempool {
  return new Proxy(store, {
    get(target, key) {
      if (key === 'close') return async () => undefined;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A file per pool. */
function fileHome(folder: string, now: StoreClock): Home {
  const pathOf = (name: string): string => join(folder, `${encodeURIComponent(name)}.sqlite`);
  return {
    async openPool(name, limits) {
      const options = { pool: name, path: pathOf(name), ...patient, ...limits, ...clockOf(name, now) };
      return sqlite.open({ ...options, ...sweeping, synchronous: 'normal' });
    },
    removePool: async (name) => void (await sqlite.remove({ pool: name, path: pathOf(name) })),
    elect: (control) => createElection(sqliteElection, { ...electing, path: pathOf(control) }),
    content: async () => readdirSync(folder).map(decodeURIComponent),
    close: async () => undefined,
  };
}

/** All pools on one server. */
function redisHome(url: string, control: string, now: StoreClock): Home {
  const operator = new Redis(url);
  return {
    openPool: (name, limits) =>
      redis.open({ url, pool: name, ...patient, ...limits, ...sweeping, ...clockOf(name, now) }),
    removePool: async (name) => void (await redis.remove({ url, pool: name })),
    elect: (name) => createElection(redisElection, { ...electing, url, pool: name }),
    content: () => operator.keys(`{${control}*`),
    close: async () => operator.disconnect(),
  };
}

/** Where to find the pools of a home again, from another process. */
export interface Place {
  readonly backend: string;
  /** A folder, or an address. */
  readonly at: string;
}

/** With `now` the store has that clock, so that a test decides when windows close. */
export function homeAt({ backend, at }: Place, control: string, now?: StoreClock): Home {
  if (backend === 'redis') return redisHome(at, control, now);
  return backend === 'sqlite' ? fileHome(at, now) : memoryHome(now);
}
