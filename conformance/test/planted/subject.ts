import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type LeasesOptions, openLeases, type Subject } from 'mempool-conformance';
import type { OpenOptions } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { damageFile } from '../../../packages/sqlite/test/file-damage.ts';
import { asTested, type TestedPool } from '../../src/case/tested-pool.ts';
import { leaseVerbs, storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { damageFaults } from './damage-faults.ts';
import { durableFaults } from './durable-faults.ts';
import { electionFaults } from './election-faults.ts';
import type { Fault, StoreFile } from './fault.ts';
import { nodeFaults, poolFaults } from './node-faults.ts';
import { priorityFaults } from './priority-faults.ts';

export const faults: readonly Fault[] = [
  ...durableFaults,
  ...damageFaults,
  ...nodeFaults,
  ...poolFaults,
  ...priorityFaults,
  ...electionFaults,
];

export const noFault: Fault = { id: 'no-fault', kills: [] };

const given = new URL(import.meta.url).searchParams;
/** One for this process and its children: another run must not find what this one left. */
const folder = given.get('folder') ?? join(tmpdir(), `mempool-conformance-planted-${randomUUID()}`);

async function openFaulty(given: Fault, pool: string, options: OpenOptions = {}): Promise<TestedPool> {
  const isMeant = given.ordering === undefined || given.ordering === (options.ordering ?? 'fifo');
  const fault = isMeant ? given : { id: given.id, kills: [] };
  const place = placeOf(fault, pool);
  const { path } = place;
  if (place.reopened && fault.sabotage !== undefined) damage(path, fault.sabotage);
  const changed = fault.options?.(options, place) ?? options;
  const store = asTested(await sqlite.open({ ...changed, pool: 'planted', path, synchronous: 'normal' }));
  const plain = verbsOf(store, storeVerbs);
  return {
    ...plain,
    name: store.name,
    capabilities: store.capabilities,
    ordering: store.ordering,
    ...(await fault.plant?.(store, place)),
  } as TestedPool;
}

function placeOf(fault: Fault, pool: string): StoreFile {
  mkdirSync(folder, { recursive: true });
  const own = fileOf(fault, pool);
  const path = fault.path?.(own) ?? own;
  return { path, reopened: existsSync(path) };
}

/** A name may be longer than that of a file. */
function fileOf(fault: Fault, pool: string): string {
  const name = createHash('sha256').update(fault.pool?.(pool) ?? pool);
  return join(folder, `${fault.id}-${name.digest('hex')}`);
}

async function openFaultyLeases(fault: Fault, pool: string, options?: LeasesOptions): Promise<LeaseStore> {
  const place = placeOf(fault, pool);
  const store = await openLeases(sqliteElection, { path: place.path }, options);
  const plain = verbsOf(store, leaseVerbs);
  return { ...plain, ...fault.leases?.(store, place) };
}

function damage(path: string, statements: string): void {
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
}

export function removeFolder(): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** The subject with that fault. Its module names the fault, so that a child process has it too. */
export function faultySubject(fault: Fault): Subject {
  const module = new URL(import.meta.url);
  module.searchParams.set('fault', fault.id);
  module.searchParams.set('folder', folder);
  return {
    name: fault.id,
    module: module.href,
    backend: { name: fault.id, capabilities: { ...sqlite.capabilities, ...fault.capabilities } },
    open: (pool, options) => openFaulty(fault, pool, options),
    leases: (pool, options) => openFaultyLeases(fault, pool, options),
    leaseTraits: ['processes'],
    damage: async (pool, record) => damageFile(placeOf(fault, pool).path, record),
    async destroy(pool) {
      const { path } = placeOf(fault, pool);
      const places = [fileOf(fault, pool), path];
      const files = (await readdir(folder)).map((file) => join(folder, file));
      const own = files.filter((file) => places.some((place) => file.startsWith(place)));
      await Promise.all(own.map((file) => rm(file, { force: true })));
    },
  };
}

const wanted = [noFault, ...faults].find(({ id }) => id === given.get('fault'));
export const subject: Subject | null = wanted === undefined ? null : faultySubject(wanted);
