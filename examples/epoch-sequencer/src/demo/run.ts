import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from 'mempool-testkit';
import type { Role } from '../process/role.ts';
import { Faults } from './faults.ts';
import { type Fed, Feeder } from './feeder.ts';
import { Judge, type Verdict } from './judge.ts';
import { type Compared, compareWith } from './monitor.ts';
import { Releases } from './releases.ts';
import { market, protocol, type Stage } from './stage.ts';
import type { Traffic, TrafficMaker } from './traffic.ts';

/** A fault that comes with an epoch, beside the kills. */
export type FaultKind = 'partition' | 'revert' | 'split' | 'freeze' | 'redis';

export interface Plan {
  readonly epochs: number;
  /** 1: epochs of 5 s and a kill each second. Larger on a slow machine: everything takes so much longer. */
  readonly pace: number;
  /** What comes with which epoch. */
  readonly faults: ReadonlyMap<number, FaultKind>;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** What a run came to. */
export interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly kills: Readonly<Record<Role, number>>;
  readonly partitions: readonly (readonly string[])[];
  /** How many blocks each reorganisation undid. */
  readonly reverts: readonly number[];
  readonly freezes: number;
  readonly restarts: number;
  /** Submissions that a validator had by gossip when it was asked for them, of all that it had. */
  readonly byGossip: number;
  readonly acknowledged: number;
  /** What the monitor told in the end, beside the recount. */
  readonly monitor: Compared;
  readonly violations: readonly string[];
  readonly seconds: number;
}

const epochMs = 5_000;
const killEveryMs = 1_000;
/** What it takes until all validators have heard of a release. */
const openingMs = 2_500;
const partitionMs = 5_000;
const settleMs = 120_000;

interface Scene extends Omit<Playing, 'pace'> {
  readonly releases: Releases;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

interface Played {
  readonly closesAt: number;
  readonly traffic: Traffic;
  readonly fed: Fed;
}

/** Plays the epochs of a run, with kills and faults, and judges them. */
export async function play(stage: Stage, maker: TrafficMaker, plan: Plan): Promise<Outcome> {
  const startedMs = performance.now();
  await using feeder = await Feeder.open(`${protocol}/${market}`, configsOf(stage), plan.random);
  await using judge = await Judge.open(stage.validators);
  const releases = new Releases(stage);
  const faults = new Faults(stage, plan.random);
  await feeder.ready(plan.signal);
  const stop = new AbortController();
  const signal = AbortSignal.any([plan.signal, stop.signal]);
  const background = [releases.keep(signal), faults.killAll(plan.pace * killEveryMs, signal)];
  const scene = { feeder, faults, maker, releases, plan, signal };
  const [played, striking] = await playAll(scene);
  const isSettled = await settled(judge, plan);
  stop.abort();
  await Promise.all([...background, ...striking]);
  const verdicts = await judged(judge, played, scene);
  const violations = verdicts.flatMap((each) => each.violations);
  if (!isSettled) violations.push(`not everything was settled after ${(plan.pace * settleMs) / 1_000} s`);
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
    byGossip: played.reduce((sum, { fed }) => sum + fed.byGossip, 0),
    acknowledged: played.reduce((sum, { fed }) => sum + acknowledgedIn(fed), 0),
    monitor,
    violations,
    seconds: Math.round((performance.now() - startedMs) / 1_000),
  };
}

/** An epoch every so often. Returns when all windows are over, with the faults that may last longer. */
async function playAll({ signal, ...scene }: Scene): Promise<[Played[], Promise<void>[]]> {
  const { feeder, faults, maker, releases, plan } = scene;
  const striking: Promise<void>[] = [];
  const playing: Promise<Played>[] = [];
  for (let epoch = 1; epoch <= plan.epochs; epoch += 1) {
    plan.signal.throwIfAborted();
    const closesAt = Date.now() + plan.pace * (openingMs + epochMs);
    releases.release(epoch, closesAt);
    playing.push(playEpoch(epoch, closesAt, { feeder, faults, maker, pace: plan.pace }));
    const fault = plan.faults.get(epoch);
    if (fault !== undefined) striking.push(strike(fault, { faults, releases, plan, signal }));
    await delay(plan.pace * epochMs);
    plan.say(`epoch ${epoch} of ${plan.epochs}${fault === undefined ? '' : `: ${fault}`}`);
  }
  return [await Promise.all(playing), striking];
}

async function judged(judge: Judge, played: readonly Played[], { faults, releases, plan }: Scene): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { traffic, fed, closesAt } of played) {
    // From the beginning of the window until batches are waited for no longer.
    const cutOff = faults.cutOffBetween(closesAt - plan.pace * epochMs, closesAt + plan.pace * 2 * epochMs);
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

/** What was to be shown and was not: a run of some length kills each role five times, and does every fault. */
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

interface Playing {
  readonly feeder: Feeder;
  readonly faults: Faults;
  readonly maker: TrafficMaker;
  readonly pace: number;
}

async function playEpoch(epoch: number, closesAt: number, { feeder, faults, maker, pace }: Playing): Promise<Played> {
  const traffic = maker.epoch(epoch);
  await delay(pace * openingMs);
  const fed = await feeder.feed({ traffic, closesAt, isCutOff: (name) => faults.isCutOff(name), pace });
  return { closesAt, traffic, fed };
}

interface Striking {
  readonly faults: Faults;
  readonly releases: Releases;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

async function strike(kind: FaultKind, { faults, releases, plan, signal }: Striking): Promise<void> {
  const { pace } = plan;
  if (kind === 'revert') await releases.revert(signal);
  else if (kind === 'partition') await faults.partition(1, pace * (partitionMs + plan.random.below(partitionMs)));
  else if (kind === 'split') await faults.partition(2, pace * 3 * partitionMs);
  else if (kind === 'freeze') await faults.freeze(pace * 2_500);
  else await faults.restartRedis();
}

/** False if something is left to do after the time for it. */
async function settled(judge: Judge, { epochs, pace, signal, say }: Plan): Promise<boolean> {
  const until = performance.now() + pace * settleMs;
  let epoch = 1;
  while (performance.now() < until) {
    signal.throwIfAborted();
    while (epoch <= epochs && (await judge.isSettled(epoch))) epoch += 1;
    if (epoch > epochs) return true;
    await delay(500);
  }
  say(`epoch ${epoch} is not settled`);
  return false;
}

/** What is left when messages had time to find that their epochs are over. */
async function emptied(judge: Judge): Promise<string[]> {
  const until = performance.now() + 60_000;
  for (;;) {
    const left = await judge.leftOver();
    if (left.length === 0 || performance.now() > until) return left;
    await delay(1_000);
  }
}
