import { type LifecycleVerb, lifecycleVerbs, type Stage, transitions } from 'mempool-core';
import type { CheckedBlock } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { eventOf, type PlantedDriver } from './planted-driver.ts';

const stages = Object.keys(transitions) as Stage[];
const verbs = [...lifecycleVerbs, 'otherBlock', 'rollback'] as const;
type Verb = (typeof verbs)[number];
type First = readonly (string | { readonly hash: string })[];

function isLegal(stage: Stage, verb: Verb): boolean {
  if (verb === 'otherBlock') return false;
  if (verb === 'rollback') return stage === 'Confirmed' || stage === 'Finalized';
  return transitions[stage][verb satisfies LifecycleVerb] !== undefined;
}

/** Every hash that the pool knows, and one that it does not. */
function everyHash(pool: PlantedDriver): string[] {
  const all = [...pool.peekPending(0, 100), ...pool.peekInflight(0, 100), ...pool.dumpFinalized(0, 100).entries];
  return [...all.map(({ hash }) => hash), 'ee'];
}

/** The verb of the backend that such a call is, and where its hashes are: its argument, a list of that, or none of it. */
function callOf(verb: Verb) {
  if (verb === 'seen' || verb === 'unseen') return { name: 'confirm', list: verb } as const;
  return { name: verb === 'otherBlock' ? 'confirm' : verb, list: null } as const;
}

/** A legal pair is passed over, an illegal one tells of a transition that the table does not name. */
function pairMutant(stage: Stage, verb: Verb): Mutant {
  const { name, list } = callOf(verb);
  const isOfAll = verb === 'otherBlock' || verb === 'rollback';
  return fifo.plant(`${verb}-of-${stage}-goes-wrong`, (whole, { pool }) => {
    if (verb === 'rollback' && isLegal(stage, verb))
      pool.tell = () => ({
        confirmedAfter: (tick) => pool.confirmedAfter(tick).filter((life) => life.stage !== stage),
      });
    const call = whole[name] as (...given: unknown[]) => unknown;
    const made = (first: unknown, ...rest: unknown[]): unknown => {
      const all = list === null ? (first as First) : (first as CheckedBlock)[list];
      const hashes = isOfAll ? everyHash(pool) : all.map((one) => (typeof one === 'string' ? one : one.hash));
      const isNamed = (_: unknown, i: number) => pool.stageOf(hashes[i] ?? '') === stage;
      const named = hashes.filter(isNamed);
      if (isLegal(stage, verb) && !isOfAll) {
        const kept = all.filter((one, i) => !isNamed(one, i));
        return call(list === null ? kept : { ...(first as CheckedBlock), [list]: kept }, ...rest);
      }
      const outcome = call(first, ...rest);
      if (!isLegal(stage, verb)) pool.announce(named.map((hash) => eventOf({ hash }, 'RolledBack', stage)));
      return outcome;
    };
    return { [name]: made };
  });
}

/** L11: one for each pair of stage and verb. */
export const matrixMutants: readonly Mutant[] = stages.flatMap((stage) => verbs.map((verb) => pairMutant(stage, verb)));
