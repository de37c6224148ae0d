import { crew, roles } from './home.ts';
import type { Compared } from './monitor.ts';
import type { Outcome } from './run.ts';
import { validatorCount } from './stage.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The result of a run as the lines of a table. */
export function tableOf(outcome: Outcome): string {
  const { verdicts, kills, partitions, reverts, freezes, restarts, monitor, violations } = outcome;
  const ended = (phase: string): number =>
    verdicts.filter(({ phases }) => phases.length > 0 && phases.every((each) => each === phase)).length;
  const share = Math.round((100 * outcome.byGossip) / Math.max(1, outcome.acknowledged));
  const rows: [string, string][] = [
    ['validators', `${validatorCount}, each of ${sum(Object.values(crew))} processes, on one Redis and one chain`],
    ['epochs', `${verdicts.length}: ${ended('complete')} complete, ${ended('failed')} failed because of a split`],
    ['submissions', `${outcome.acknowledged} received by validators, ${share} % by gossip before they were asked for`],
    [
      'ends',
      `${sum(verdicts.map((each) => each.counted))} Finalized, ${sum(verdicts.map((each) => each.dropped))} Dropped`,
    ],
    ['kill -9', `${sum(Object.values(kills))}: ${roles.map((role) => `${role} ${kills[role]}`).join(', ')}`],
    [
      'partitions',
      `${partitions.length}${partitions.length === 0 ? '' : `: ${partitions.map((each) => each.join('+')).join(', ')}`}`,
    ],
    ['chain reverted', `${reverts.length} times${reverts.length === 0 ? '' : `, ${reverts.join(' and ')} blocks`}`],
    ['starts', startsText(outcome.startsMs)],
    ['other faults', `${freezes} processes stopped past their claims, ${restarts} restarts of Redis`],
    ['monitor', monitorText(monitor)],
    ['time', `${outcome.seconds} s`],
    ['result', violations.length === 0 ? 'no rule broken' : `${violations.length} violations`],
  ];
  return rows.map(([title, text]) => `${title.padEnd(15)} ${text}`).join('\n');
}

function startsText(startsMs: readonly number[]): string {
  const sorted = startsMs.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1));
  return `${sorted.length} processes: median ${sorted[Math.floor(sorted.length / 2)]} s, slowest ${sorted.at(-1)} s`;
}

function monitorText({ epochs, differences }: Compared): string {
  if (differences.length > 0) return `${differences.length} differences from the recount of ${epochs} epochs`;
  return `${epochs} epochs as recounted`;
}
