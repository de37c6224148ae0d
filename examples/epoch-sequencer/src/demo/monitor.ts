import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { loadServerConfig, type RunningServer, startServer } from 'mempool-server';
import { namespaceOf, type Place } from './home.ts';
import type { Recount } from './recount.ts';

type Json = Readonly<Record<string, unknown>>;

/** The answers of a monitor's API when everything is settled. */
export interface Answers {
  readonly timeline: readonly Json[];
  /** Of each epoch of the timeline. */
  readonly statuses: readonly Json[];
  readonly gaps: readonly Json[];
  readonly summary: Json;
}

/** The result of comparing a monitor with the recount. */
export interface Compared {
  readonly epochs: number;
  readonly differences: readonly string[];
}

const freshMs = 60_000;

/** The monitor API and the dashboard of one validator. The pool of the server itself stays empty: it is not the validator's. */
export async function openMonitor(config: Place): Promise<RunningServer> {
  const graces = { level1GraceMs: 3_000, level2GraceMs: 5_000, onchainGraceMs: 10_000 };
  const sequencer = { ...namespaceOf(config), url: config.redis, ...graces };
  const given = { mempool: { backend: 'ephemeral' }, sequencer };
  return startServer(await loadServerConfig(given, { server: { port: 0 } }));
}

/** Compares the monitor's answers with the recount, until they are the same or it had time to read the last changes. */
export async function compareWith({ url }: RunningServer, recounts: readonly Recount[]): Promise<Compared> {
  const until = performance.now() + freshMs;
  for (;;) {
    const answers = await answersOf(`${url}/api/v1/epochs`);
    const differences = differencesOf(answers, recounts);
    if (differences.length === 0 || performance.now() > until) return { epochs: recounts.length, differences };
    await delay(500);
  }
}

async function answersOf(base: string): Promise<Answers> {
  const timeline = await pagesOf(`${base}/timeline`);
  const statuses: Json[] = [];
  for (const { epoch } of timeline) statuses.push(await ask(`${base}/${epoch}/status`));
  return { timeline, statuses, gaps: await pagesOf(`${base}/gaps`), summary: await ask(`${base}/dashboard/summary`) };
}

async function pagesOf(url: string): Promise<Json[]> {
  const items: Json[] = [];
  let next: unknown = null;
  do {
    const page = await ask(`${url}?limit=100${next === null ? '' : `&after=${next}`}`);
    items.push(...(page.items as Json[]));
    next = page.next;
  } while (next !== null);
  return items;
}

/** @throws if it is refused */
async function ask(url: string): Promise<Json> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
  return (await answer.json()) as Json;
}

/** The differences between the answers and the recount. Empty: none. */
export function differencesOf({ timeline, statuses, gaps, summary }: Answers, recounts: readonly Recount[]): string[] {
  const found: string[] = [];
  const compare = (what: string, shown: Json, wanted: object): void => {
    for (const [field, value] of Object.entries(wanted))
      if (!isDeepStrictEqual(shown[field], value))
        found.push(`${what}: ${field} is ${JSON.stringify(shown[field])}, and not ${JSON.stringify(value)}`);
  };
  const known = new Map(recounts.map((each) => [each.epoch, each]));
  for (const epoch of known.keys())
    if (!timeline.some((each) => each.epoch === epoch)) found.push(`epoch ${epoch} is not told`);
  for (const [name, list] of Object.entries({ timeline, status: statuses }))
    for (const shown of list) {
      const recount = known.get(shown.epoch as number);
      if (recount === undefined) found.push(`${name}: there is no epoch ${shown.epoch}`);
      else compare(`${name} of epoch ${shown.epoch}`, shown, recount);
    }
  const open = gaps.filter(({ resolvedAt }) => resolvedAt === null);
  for (const { epoch, kind } of open)
    if (known.get(epoch as number)?.phase === 'complete') found.push(`epoch ${epoch} is complete, and ${kind} is open`);
  const validators = participationIn(recounts);
  compare('summary', summary, { active: 0, openGaps: open.length, lastDay: totalsOf(recounts), validators });
  return found;
}

function totalsOf(recounts: readonly Recount[]): object {
  const dropped: Record<string, number> = {};
  for (const { submissions } of recounts)
    for (const [reason, count] of Object.entries(submissions.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count;
  const sum = (of: (recount: Recount) => number): number => recounts.reduce((total, each) => total + of(each), 0);
  return {
    epochs: recounts.length,
    complete: sum(({ phase }) => Number(phase === 'complete')),
    failed: sum(({ phase }) => Number(phase === 'failed')),
    received: sum(({ submissions }) => submissions.received),
    counted: sum(({ submissions }) => submissions.counted),
    dropped,
  };
}

/** The participation of each validator in the epochs that came through level 2 with anything to count. */
function participationIn(recounts: readonly Recount[]): object[] {
  const wanted = recounts.filter(
    ({ level2, batches, submissions }) =>
      (level2 === 'completed' || level2 === 'failed') && submissions.counted + batches.length > 0,
  );
  const names = [...new Set(wanted.flatMap(({ validators }) => validators))].sort();
  return names.map((validator) => {
    const own = wanted.filter(({ validators }) => validators.includes(validator));
    const agreed = own.filter(({ included }) => included !== null);
    const included = agreed.filter((each) => each.included?.includes(validator)).length;
    const batches = own.filter((each) => [...each.batches, ...(each.included ?? [])].includes(validator)).length;
    const shares = {
      participation: batches / own.length,
      inclusion: agreed.length === 0 ? null : included / agreed.length,
    };
    return { validator, epochs: own.length, batches, agreements: agreed.length, included, ...shares };
  });
}
