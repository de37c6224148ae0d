import { randomUUID } from 'node:crypto';
import type { Mempool } from 'mempool-core';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished } from 'vitest';
import { poolNames, type Sequencer, type SequencerOptions } from '../src/index.ts';
import { homeAt, type Place } from './home.ts';
import { openValidator, type Validator } from './validator.ts';

export const backends = ['ephemeral', 'sqlite', 'redis'] as const;

export const names = ['v1', 'v2', 'v3'];

/** The clock of all processes and of the stores: windows close when the test says so. */
export class Clock {
  ms = Date.now();
  readonly now = (): number => this.ms;
}

export interface Cast {
  readonly validators: readonly Validator[];
  readonly clock: Clock;
  /** All validators of the epochs, those that are only played too. */
  readonly names: readonly string[];
  /** Whose messages are lost, on the way out and in. */
  readonly cutOff: Set<string>;
  /** Of the first validator. */
  readonly place: Place;
  readonly protocol: string;
}

/**
 * Some of the validators, with a home each. Their batches reach all others through the gateways. With `now: Date.now` the stores have their
 * own clock too.
 */
export async function cast(
  backend: string,
  options: Partial<SequencerOptions> = {},
  present: readonly string[] = names,
  all: readonly string[] = names,
  clock: Clock = new Clock(),
): Promise<Cast> {
  const cutOff = new Set<string>();
  const run = randomUUID().slice(0, 8);
  const validators: Validator[] = [];
  const places: Place[] = [];
  for (const name of present) {
    const protocol = `${name}-${run}`;
    const gossip = async (message: Uint8Array): Promise<void> => {
      if (cutOff.has(name)) return;
      for (const each of validators)
        if (each.name !== name && !cutOff.has(each.name)) await each.first.gateway.acceptBatch(message, { peer: name });
    };
    const place = placeOf(backend);
    places.push(place);
    const storeClock = options.now === Date.now ? undefined : clock.now;
    const home = homeAt(place, poolNames(protocol, 'market').control, storeClock);
    const validator = await openValidator(name, home, { protocol, now: clock.now, gossip, ...options });
    onTestFinished(() => validator.stop());
    validators.push(validator);
  }
  return { validators, clock, names: all, cutOff, place: places[0] as Place, protocol: `${present[0]}-${run}` };
}

/** The validator `v1`, whose other validators are played by the test. */
export async function alone(backend: string, options: Partial<SequencerOptions> = {}, all: readonly string[] = names) {
  const scene = await cast(backend, options, ['v1'], all);
  const one = scene.validators[0] as Validator;
  return { scene, one, first: one.first };
}

function placeOf(backend: string): Place {
  if (backend === 'redis') return { backend, at: inject('redisUrl') };
  return { backend, at: backend === 'sqlite' ? scratchFolder() : '' };
}

/** Opens an epoch at every validator. After ten seconds no gateway takes a submission any more. */
export async function openEpoch({ validators, clock, names: all }: Cast, epoch: number): Promise<void> {
  const event = { kind: 'released', epoch, closesAt: clock.ms + 9_000, validators: all } as const;
  for (const { first, leadership } of validators) await first.monitor.apply(event, leadership.lease);
}

/** Does something with the pool of an epoch. */
export async function onEpoch<T>(sequencer: Sequencer, epoch: number, work: (pool: Mempool) => Promise<T>): Promise<T> {
  const record = await sequencer.epoch(epoch);
  if (record === null) throw new Error(`no epoch ${epoch}`);
  return sequencer.namespace.withEpoch(record, work);
}

/** Waits until an epoch is in this phase. */
export async function phaseReached({ first }: Validator, epoch: number, phase: string): Promise<void> {
  await expect.poll(async () => (await first.epoch(epoch))?.phase).toBe(phase);
}

/** Lets the chain carry the epoch's result, for good. */
export async function carry({ first, leadership }: Validator, epoch: number, root: string): Promise<void> {
  const { lease } = leadership;
  const transaction = `tx-${epoch}`;
  expect(await first.monitor.apply({ kind: 'queued', epoch }, lease)).toBe(true);
  expect(await first.monitor.apply({ kind: 'submitted', epoch, transaction }, lease)).toBe(true);
  expect(await first.monitor.apply({ kind: 'confirmed', epoch, root, transaction }, lease)).toBe(true);
  expect(await first.monitor.apply({ kind: 'finalized', epoch, root }, lease)).toBe(true);
}

/** What became of each hash, from the log of the epoch's pool: one line for each end. */
export function fates(sequencer: Sequencer, epoch: number): Promise<readonly (readonly [string, string])[]> {
  return onEpoch(sequencer, epoch, async (pool) => {
    const found: (readonly [string, string])[] = [];
    for await (const { hash, stage, reason } of pool.finalized()) {
      const app = typeof reason === 'object' && reason !== null ? reason.app : reason;
      found.push([hash, stage === 'Finalized' ? 'counted' : String(app)]);
    }
    return found.sort();
  });
}
