/** The result of a run, computed from its record: as a table for people or JSON for programs. */
import { readFile } from 'node:fs/promises';
import { checkFailover, failoverRules, parseFailoverRecord } from 'mempool-conformance/failover';
import type { RunEnd, RunPlan } from '../run/failover-run.ts';
import { type Durations, type Figures, figuresOf } from './figures.ts';

export interface RunResult extends Figures {
  readonly seed: number;
  readonly nodes: number;
  readonly ttlMs: number;
  readonly faults: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly finalized: number;
  readonly dropped: number;
  readonly seconds: number;
  /** The file of the record, from which the result can be checked again. */
  readonly record: string;
  readonly violations: readonly string[];
}

export async function resultOf(plan: RunPlan, end: RunEnd, startedMs: number): Promise<RunResult> {
  const record = parseFailoverRecord(await readFile(plan.record, 'utf8'));
  const broken = checkFailover(record).map(({ rule, message }) => `${failoverRules[rule]}: ${message}`);
  const { seed, nodes, ttlMs } = plan;
  const { faults, blocks, state } = end;
  const count = (stage: string) => state.statuses.filter((status) => status.stage === stage).length;
  return {
    ...{ seed, nodes, ttlMs, faults, blocks },
    transactions: state.statuses.length,
    finalized: count('Finalized'),
    dropped: count('Dropped'),
    ...figuresOf(record),
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    record: plan.record,
    violations: [...broken, ...end.differences],
  };
}

export function describe(result: RunResult): string {
  const rows: readonly (readonly [string, string])[] = [
    ['nodes', `${result.nodes}, ttl ${result.ttlMs} ms, seed ${result.seed}`],
    ['faults', `${result.faults}, and ${result.leaderships} leaderships`],
    [
      'blocks',
      `${result.blocks} on the chain; ${result.applied} applied, forks included; ${result.fenced} calls fenced`,
    ],
    ['leases', `${result.compared} blocks compared with who held the lease when they were applied`],
    ['transactions', `${result.transactions}: ${result.finalized} finalized, ${result.dropped} dropped`],
    ['crash', `${durations(result.crash)} from the kill to the next leader`],
    ['hand-over', `${durations(result.handOver)} from the request to the next leader`],
    ['record', `${result.record}: mempool-failover-check reads it`],
    ['time', `${result.seconds} s`],
  ];
  const verdict = result.violations.length === 0 ? 'as on a single node, no rule broken' : 'BROKEN';
  return [...rows.map(([name, value]) => `${name.padEnd(14)}${value}`), `${'result'.padEnd(14)}${verdict}`].join('\n');
}

function durations({ count, medianMs, maxMs }: Durations): string {
  return count === 0 ? 'none' : `median ${medianMs} ms, at most ${maxMs} ms (${count} times)`;
}
