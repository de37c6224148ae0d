import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from 'mempool-testkit';
import { Faults } from './faults.ts';
import { type Fed, Feeder } from './feeder.ts';
import type { Role } from './home.ts';
import { Judge, type Verdict } from './judge.ts';
import { type Compared, compareWith } from './monitor.ts';
import { happened, Pace } from './pace.ts';
import { Releases } from './releases.ts';
import { level2TimeoutMs, market, protocol, type Stage } from './stage.ts';
import type { Traffic, TrafficMaker } from './traffic.ts';

/** A fault that comes with an epoch, in addition to the kills. */
export type FaultKind = 'partition' | 'revert' | 'split' | 'freeze' | 'redis';

export interface Plan {
  readonly epochs: number;
  /** The faults by epoch. */
  readonly faults: ReadonlyMap<number, FaultKind>;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The result of a run. */
export interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly kills: Readonly<Record<Role, number>>;
  readonly partitions: readonly (readonly string[])[];
  /** How many blocks each reorganisation undid. */
  readonly reverts: readonly number[];
  readonly freezes: number;
  readonly restarts: number;
  /** How long each process took until it worked. */
  readonly startsMs: readonly number[];
  /** Submissions that a validator had by gossip when it was asked for them, of all that it had. */
  readonly byGossip: number;
  readonly acknowledged: number;
  /** The final answers of the monitor, with the recount. */
  readonly monitor: Compared;
  readonly violations: readonly string[];
  readonly seconds: number;
}

const partitionMs = 5_000;
const freezeMs = 5_000;
/** How many epochs may be under way when the next one is released. */
const underWay = 5;

interface Scene {
  readonly feeder: Feeder;
  readonly faults: Faults;
  readonly maker: TrafficMaker;
  readonly releases: Releases;
  readonly judge: Judge;
  readonly pace: Pace;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

interface Played {
  readonly releasedAt: number;
  readonly closesAt: number;
  readonly traffic: Traffic;
  readonly fed: Fed;
  /** Sends the late submissions. Resolves to violations. */
  readonly late: Promise<readonly string[]>;
  readonly striking: Promise<void>;
}

/** Plays the epochs of a run, with kills and faults, and judges them. */
export async function play(stage: Stage, maker: TrafficMaker, plan: Plan): Promise<Outcome> {
  const startedMs = performance.now();
  await using feeder = await Feeder.open(`${protocol}/${market}`, configsOf(stage), plan.random);
  await using judge = await Judge.open(stage.validators);
  const releases = new Releases(stage);
  const faults = new Faults(stage, plan.random);
  await Promise.all(stage.workers.map((worker) => worker.working()));
  await feeder.ready(plan.signal);
  const stop = new AbortController();
  const signal = AbortSignal.any([plan.signal, stop.signal]);
  const background = [releases.keep(signal), faults.killAll(signal)];
  const scene: Scene = { feeder, faults, maker, releases, judge, pace: new Pace(), plan, signal };
  const played = await playAll(scene);
  const late = (await Promise.all(played.map((each) => each.late))).flat();
  for (let epoch = 1; epoch <= plan.epochs; epoch += 1) await settled(epoch, scene);
  stop.abort();
  await Promise.all([...background, ...played.map(({ striking }) => striking)]);
  const verdicts = await judged(judge, played, scene);
  const violations = [...late, ...verdicts.flatMap((each) => each.violations)];
  violations.push(...(await emptied(judge)), ...endedByThemselves(stage), ...notDone(plan, scene));
  const monitor = await compareWith(
    stage.monitor,
    verdicts.flatMap(({ recount }) => recount ?? []),
  );
  violations.push(...monitor.differences.map((each) => `monitor: ${each}`));
  const { kills, partitions, freezes, restarts } = faults;
  return {
    verdicts,
    ...{ kills, partitions, freezes, restarts, reverts: releases.reverts },
    startsMs: stage.workers.flatMap((worker) => worker.startsMs),
    byGossip: played.reduce((sum, { fed }) => sum + fed.byGossip, 0),
    acknowledged: played.reduce((sum, { fed }) => sum + acknowledgedIn(fed), 0),
    monitor,
    violations,
    seconds: Math.round((performance.now() - startedMs) / 1_000),
  };
}

/** One epoch after the other, each when the last one's traffic was received. */
async function playAll(scene: Scene): Promise<Played[]> {
  const played: Played[] = [];
  for (let epoch = 1; epoch <= scene.plan.epochs; epoch += 1) {
    if (epoch > underWay) await settled(epoch - underWay, scene);
    played.push(await playEpoch(epoch, scene));
  }
  return played;
}

async function playEpoch(epoch: number, scene: Scene): Promise<Played> {
  const { feeder, faults, maker, releases, judge, pace, plan } = scene;
  const releasedAt = Date.now();
  const closesAt = releasedAt + pace.windowMs;
  releases.release(epoch, closesAt);
  await happened(`the opening of epoch ${epoch}`, () => judge.isOpen(epoch), plan.signal);
  const openMs = Date.now() - releasedAt;
  const fault = plan.faults.get(epoch);
  const striking = fault === undefined ? Promise.resolve() : strike(fault, closesAt, scene);
  const feeding = { traffic: maker.epoch(epoch), closesAt, isCutOff: (name: string) => faults.isCutOff(name) };
  const fed = await feeder.feed(feeding);
  const fedMs = Date.now() - releasedAt;
  // Whoever is cut off receives nothing until the window is over: that shows nothing of the machine.
  if (faults.cutOffBetween(releasedAt, Date.now()).size === 0) pace.measured(fedMs);
  const times = `open after ${inSeconds(openMs)}, fed after ${inSeconds(fedMs)} of ${inSeconds(closesAt - releasedAt)}`;
  plan.say(`epoch ${epoch} of ${plan.epochs}${fault === undefined ? '' : `: ${fault}`}; ${times}`);
  return { releasedAt, closesAt, traffic: feeding.traffic, fed, late: feeder.feedLate(feeding), striking };
}

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function settled(epoch: number, { judge, plan }: Scene): Promise<void> {
  return happened(`the end of epoch ${epoch}`, () => judge.isSettled(epoch), plan.signal);
}

async function judged(judge: Judge, played: readonly Played[], { faults, releases, plan }: Scene): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { traffic, fed, releasedAt, closesAt } of played) {
    // Until batches are waited for no longer.
    const cutOff = faults.cutOffBetween(releasedAt, closesAt + level2TimeoutMs);
    const root = await releases.rootOf(traffic.epoch, plan.signal);
    verdicts.push(await judge.judge(traffic, fed, { root, cutOff }));
  }
  for (const each of verdicts) plan.say(lineOf(each));
  return verdicts;
}

function endedByThemselves({ workers }: Stage): string[] {
  return workers.flatMap(({ post, failure }) =>
    failure === null ? [] : [`${post.validator}, ${post.role}: ended by itself: ${failure}`],
  );
}

/** Missing faults: a run of some length kills each role five times, and does every fault. */
function notDone({ epochs, faults: planned }: Plan, { faults, releases }: Scene): string[] {
  const reverts = [...planned.values()].filter((kind) => kind === 'revert').length;
  const missing = releases.reverts.length < reverts ? [`the chain went back ${releases.reverts.length} times`] : [];
  for (const [role, count] of Object.entries(faults.kills))
    if (epochs >= 10 && count < 5) missing.push(`${role} was killed ${count} times`);
  return missing;
}

function lineOf({ epoch, phases, reasons, heard, violations }: Verdict): string {
  const states = phases.map((phase, i) => (reasons[i] === null ? phase : `${phase} (${reasons[i]})`));
  const ends = new Set(states).size === 1 ? states[0] : states.join(', ');
  const open = Math.min(...heard) / 1_000;
  return `epoch ${epoch}: ${ends}; open ${open.toFixed(1)} s or longer${violations.length === 0 ? '' : `; ${violations.length} violations`}`;
}

function configsOf({ validators }: Stage) {
  return validators.map(({ config }) => config);
}

const acknowledgedIn = ({ acknowledged }: Fed): number =>
  Array.from(acknowledged.values(), ({ size }) => size).reduce((sum, size) => sum + size, 0);

async function strike(kind: FaultKind, closesAt: number, { faults, releases, plan, signal }: Scene): Promise<void> {
  const cutMs = closesAt - Date.now() + plan.random.below(partitionMs);
  if (kind === 'revert') await releases.revert(signal);
  else if (kind === 'partition') await faults.partition(1, cutMs);
  else if (kind === 'split') await faults.partition(2, cutMs + level2TimeoutMs);
  else if (kind === 'freeze') await faults.freeze(freezeMs);
  else await faults.restartRedis();
}

/** The remains when messages had time to find that their epochs are over. */
async function emptied(judge: Judge): Promise<string[]> {
  const until = performance.now() + 60_000;
  for (;;) {
    const left = await judge.leftOver();
    if (left.length === 0 || performance.now() > until) return left;
    await delay(1_000);
  }
}
