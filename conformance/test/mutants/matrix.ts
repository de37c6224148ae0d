import { type LifecycleVerb, lifecycleVerbs, type Stage, type StoreDriver, transitions } from 'mempool-core';
import { answered, type Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

const stages = Object.keys(transitions) as Stage[];
const verbs = [...lifecycleVerbs, 'otherBlock', 'rollback'] as const;
type Verb = (typeof verbs)[number];

/** Makes a call of some hashes in a wrong way. */
type Around = <T>(hashes: readonly string[], run: (hashes: readonly string[]) => T) => T;

function isLegal(stage: Stage, verb: Verb): boolean {
  if (verb === 'otherBlock') return false;
  if (verb === 'rollback') return stage === 'Confirmed' || stage === 'Finalized';
  return transitions[stage][verb satisfies LifecycleVerb] !== undefined;
}

/** Every hash that the pool knows, and one that it does not. */
function everyHash(pool: PlantedDriver): string[] {
  const { entries } = pool.dumpFinalized(0, 100);
  const all = [...pool.peekPending(0, 100), ...pool.peekInflight(0, 100), ...entries];
  return [...all.map(({ hash }) => hash), 'ee'];
}

/** Tells of a transition that the table does not name. */
function announce(pool: PlantedDriver, stage: Stage, hashes: readonly string[]): void {
  const none = { confirmations: 0, nonConfirmations: 0 };
  const events = hashes.map((hash, i) => {
    const eventSeq = pool.lastEventSeq + 1 + i;
    const previous = { stage, ...none };
    return {
      kind: 'transaction',
      eventSeq,
      hash,
      seq: 1,
      stage: 'RolledBack',
      previous,
      ...none,
      point: null,
      reason: null,
    } as const;
  });
  pool.apply({ outcome: null, writes: [], events, chain: null, operation: null });
}

/** A legal pair is passed over, an illegal one has an effect. */
function wrongly(pool: PlantedDriver, stage: Stage, verb: Verb): Around {
  return (hashes, run) => {
    const named = hashes.filter((hash) => (pool.life(hash)?.stage ?? 'Unknown') === stage);
    if (isLegal(stage, verb)) return run(hashes.filter((hash) => !named.includes(hash)));
    const outcome = run(hashes);
    announce(pool, stage, named);
    return outcome;
  };
}

function verbGoneWrong(pool: PlantedDriver, stage: Stage, verb: Verb): Partial<StoreDriver> {
  const around = wrongly(pool, stage, verb);
  switch (verb) {
    case 'receive':
      return {
        receive: (batch, context) =>
          around(
            batch.map(({ hash }) => hash),
            (kept) =>
              pool.receive(
                batch.filter(({ hash }) => kept.includes(hash)),
                context,
              ),
          ),
      };
    case 'markInflight':
    case 'markAcknowledged':
    case 'release':
      return {
        move: (asked, hashes, context) =>
          asked === verb
            ? around(hashes, (kept) => pool.move(asked, kept, context))
            : pool.move(asked, hashes, context),
      };
    case 'drop':
      return { drop: (hashes, reason, context) => around(hashes, (kept) => pool.drop(kept, reason, context)) };
    case 'seen':
    case 'unseen':
      return {
        confirm: (block, context) => around(block[verb], (kept) => pool.confirm({ ...block, [verb]: kept }, context)),
      };
    case 'otherBlock':
      return { confirm: (block, context) => around(everyHash(pool), () => pool.confirm(block, context)) };
    case 'rollback':
      if (isLegal(stage, verb))
        pool.tell = () => ({
          confirmedAfter: (tick) => pool.confirmedAfter(tick).filter((life) => life.stage !== stage),
        });
      return { rollback: (point, context) => around(everyHash(pool), () => pool.rollback(point, context)) };
  }
}

function pairMutant(stage: Stage, verb: Verb): Mutant {
  const id = `${verb}-of-${stage}-goes-wrong`;
  return answered(id, (pool) => verbGoneWrong(pool, stage, verb));
}

/** L11: one for each pair of stage and verb. */
export const matrixMutants: readonly Mutant[] = stages.flatMap((stage) => verbs.map((verb) => pairMutant(stage, verb)));
