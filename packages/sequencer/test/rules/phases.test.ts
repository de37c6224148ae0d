import { expect, test } from 'vitest';
import type { EpochStates } from '../../src/contract/epoch.ts';
import {
  type EpochStep,
  epochSteps,
  firstStates,
  isEnded,
  level1States,
  level2States,
  onchainStates,
  phaseAliases,
  phases,
  stepped,
} from '../../src/rules/phases.ts';

const steps = Object.keys(epochSteps) as EpochStep[];

/** Every combination of states, also those that no epoch reaches. */
const everything: EpochStates[] = phases.flatMap((phase) =>
  level1States.flatMap((level1) =>
    level2States.flatMap((level2) => onchainStates.map((onchain) => ({ phase, level1, level2, onchain }))),
  ),
);

/** What `from` can become by steps that the filter lets through. */
function reachable(from: EpochStates, allowed: readonly EpochStep[] = steps): EpochStates[] {
  const found = new Map([[JSON.stringify(from), from]]);
  for (const states of found.values())
    for (const step of allowed) {
      const next = stepped(states, step);
      if (next !== null) found.set(JSON.stringify(next), next);
    }
  return [...found.values()];
}

const ranks = ({ phase, level1, level2, onchain }: EpochStates) => [
  phases.indexOf(phase),
  level1States.indexOf(level1),
  level2States.indexOf(level2),
  onchainStates.indexOf(onchain),
];

test('in every combination of states each step does what its row says, or nothing', () => {
  expect(everything).toHaveLength(6 * 5 * 5 * 5);
  for (const states of everything)
    for (const step of steps) {
      const { from, to } = epochSteps[step];
      const rows: readonly (readonly [string, readonly string[]])[] = Object.entries(from);
      const isThere = rows.every(([field, values]) => values.includes(states[field as keyof EpochStates]));
      expect(stepped(states, step)).toEqual(isThere ? { ...states, ...to } : null);
    }
});

test('nothing goes backwards but what a reorganisation undoes', () => {
  for (const states of reachable(firstStates))
    for (const step of steps.filter((each) => each !== 'undo')) {
      const next = stepped(states, step);
      const after = next === null ? [] : ranks(next);
      if (next !== null) ranks(states).forEach((rank, i) => void expect(after[i], step).toBeGreaterThanOrEqual(rank));
    }
  expect(
    stepped({ phase: 'complete', level1: 'completed', level2: 'completed', onchain: 'confirmed' }, 'undo'),
  ).toEqual({
    phase: 'onchain',
    level1: 'completed',
    level2: 'completed',
    onchain: 'queued',
  });
});

test('each step but undo changes something, so no epoch goes round in circles', () => {
  for (const states of reachable(firstStates))
    for (const step of steps) expect(stepped(states, step)).not.toEqual(states);
});

test('every phase and every state is reached, and from everywhere an end is', () => {
  const all = reachable(firstStates);
  expect(new Set(all.map(({ phase }) => phase))).toEqual(new Set(phases));
  expect(new Set(all.map(({ level1 }) => level1))).toEqual(new Set(level1States));
  expect(new Set(all.map(({ level2 }) => level2))).toEqual(new Set(level2States));
  expect(new Set(all.map(({ onchain }) => onchain))).toEqual(new Set(onchainStates));
  for (const states of all) expect(reachable(states).some(({ phase }) => isEnded(phase))).toBe(true);
});

test('complete means confirmed on the chain, and without the chain no failure is undone', () => {
  const all = reachable(firstStates);
  for (const { phase, onchain } of all) expect(phase === 'complete').toBe(onchain === 'confirmed');
  const own = steps.filter((step) => step !== 'confirm' && step !== 'undo');
  for (const states of all.filter(({ phase }) => phase === 'failed'))
    for (const { phase } of reachable(states, own)) expect(phase).toBe('failed');
});

test('what the chain carries overrides a failure of any level', () => {
  for (const states of reachable(firstStates).filter(({ phase }) => phase !== 'complete'))
    expect(stepped(states, 'confirm')).toMatchObject({ phase: 'complete', onchain: 'confirmed' });
});

test('every phase has the name of the original', () => {
  expect(Object.keys(phaseAliases).sort()).toEqual([...phases].sort());
  expect(new Set(Object.values(phaseAliases)).size).toBe(phases.length);
});
