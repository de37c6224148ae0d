import type { MempoolEvent } from 'mempool-core';
import { EpochBoard, type EpochBoardOptions, type ShownSubmissions } from 'mempool-sequencer/server';
import { Random, seed } from 'mempool-testkit';
import { onTestFinished } from 'vitest';
import { type Cast, carry, cast, onEpoch, openEpoch, phaseReached } from '../../../sequencer/test/cast.ts';
import { trafficOf } from '../../../sequencer/test/traffic.ts';
import type { Validator } from '../../../sequencer/test/validator.ts';

export { type Cast, carry, cast, openEpoch, phaseReached };

export const hour = 3_600_000;

/** The validator whose epochs are watched. */
export function watched({ validators }: Cast): Validator {
  return validators[0] as Validator;
}

/** Watches the epochs of the first validator. The caller closes it. */
export function startBoard(scene: Cast, options: Partial<EpochBoardOptions> = {}): Promise<EpochBoard> {
  const { home } = watched(scene);
  const { protocol, clock } = scene;
  const place = { protocol, market: 'market', openPool: home.openPool, removePool: home.removePool, now: clock.now };
  return EpochBoard.start({ ...place, refreshMs: 20, ...options });
}

/** The same, for this test alone. */
export async function boardOf(scene: Cast, options: Partial<EpochBoardOptions> = {}): Promise<EpochBoard> {
  const board = await startBoard(scene, options);
  onTestFinished(() => board.close());
  return board;
}

/** Runs one epoch at every validator with traffic of all kinds, and lets the chain carry it. */
export async function runEpoch(scene: Cast, epoch: number): Promise<void> {
  const { validators, clock } = scene;
  const { planned } = trafficOf(epoch, new Random(seed + epoch));
  await openEpoch(scene, epoch);
  for (const { first } of validators)
    for (const { kind } of await Promise.all(
      planned.map(({ message, peer }) => first.gateway.accept(message, { peer })),
    ))
      if (kind !== 'received') throw new Error(`a submission was ${kind}`);
  clock.ms += 10_000;
  for (const each of validators) await phaseReached(each, epoch, 'onchain');
  for (const each of validators) {
    const record = await each.first.epoch(epoch);
    await carry(each, epoch, record?.root ?? '');
  }
}

/** What the whole event log of an epoch's pool says, counted in the plainest way. */
export async function recounted(scene: Cast, epoch: number): Promise<ShownSubmissions> {
  const events = await onEpoch(watched(scene).first, epoch, async (pool) => {
    const { lastEventSeq } = await pool.usage();
    const found: MempoolEvent[] = [];
    if (lastEventSeq === 0) return found;
    for await (const event of await pool.subscribe({ after: 'origin' })) if (found.push(event) >= lastEventSeq) break;
    return found;
  });
  const stages = new Map<string, { stage: string; reason: string }>();
  let received = 0;
  for (const event of events) {
    if (event.kind !== 'transaction') continue;
    const { hash, stage, reason } = event;
    stages.set(hash, { stage, reason: typeof reason === 'object' ? (reason?.app ?? '') : reason });
    if (event.cause === 'received') received += 1;
  }
  const all = [...stages.values()];
  const count = (...wanted: string[]): number => all.filter(({ stage }) => wanted.includes(stage)).length;
  const dropped: Record<string, number> = {};
  for (const { stage, reason } of all) if (stage === 'Dropped') dropped[reason] = (dropped[reason] ?? 0) + 1;
  return {
    ...{ received, pending: count('Pending'), checking: count('Propagated'), finalized: count('Finalized') },
    ...{ counted: count('Acknowledged', 'Confirmed', 'Finalized'), dropped, missed: 0 },
  };
}
