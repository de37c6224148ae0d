/** What the demonstration and the soak have in common: the record's place, the result, the exit code. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CommonSettings } from './command-line.ts';
import { type RotaParts, type RunPlan, runFailover } from './failover-run.ts';
import { describe, resultOf } from './result.ts';
import { openScreen } from './screen.ts';

interface Where {
  readonly url: string;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/** Runs it, prints the result, and sets the exit code: 1 where a rule was broken. */
export async function play(
  settings: CommonSettings,
  where: Where,
  rota: (parts: RotaParts) => Promise<void>,
): Promise<void> {
  const startedMs = performance.now();
  const record = settings.record ?? `.data/failover-${settings.seed}.jsonl`;
  await mkdir(dirname(record), { recursive: true });
  await rm(record, { force: true });
  const plan: RunPlan = { ...settings, ...where, record };
  const result = await resultOf(plan, await runFailover(plan, rota, openScreen()), startedMs);
  console.log(settings.json ? JSON.stringify(result) : describe(result));
  for (const violation of result.violations) console.error(`violation: ${violation}`);
  if (result.violations.length > 0) process.exitCode = 1;
}
