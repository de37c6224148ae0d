/** What the demonstration and the soak have in common: the record's place, the result, the exit code. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CommonSettings } from './command-line.ts';
import { describe, resultOf } from './report/result.ts';
import { type FaultPlanParts, type RunPlan, runFailover } from './run/failover-run.ts';
import { openScreen } from './run/screen.ts';

interface Where {
  /** The file that `makeRecord` made. */
  readonly record: string;
  readonly url: string;
  readonly paceMs: number;
  readonly signal: AbortSignal;
}

/**
 * Creates an empty file for the record, by default in the folder `.data`. Called before anything is started.
 *
 * @throws Error naming the path, if it cannot be written
 */
export async function makeRecord({ record, seed }: CommonSettings): Promise<string> {
  const file = record ?? `.data/failover-${seed}.jsonl`;
  if (record === null) await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, '');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown error';
    const reason = code === 'ENOENT' ? `there is no folder ${dirname(file)}` : `it cannot be written (${code})`;
    throw new Error(`--record ${file}: ${reason}`, { cause });
  }
  return file;
}

/** Plays the run, prints the result, and sets the exit code: 1 if a rule was broken. */
export async function play(
  settings: CommonSettings,
  where: Where,
  faultPlan: (parts: FaultPlanParts) => Promise<void>,
): Promise<void> {
  const startedMs = performance.now();
  const plan: RunPlan = { ...settings, ...where };
  const result = await resultOf(plan, await runFailover(plan, faultPlan, openScreen()), startedMs);
  console.log(settings.json ? JSON.stringify(result) : describe(result));
  for (const violation of result.violations) console.error(`violation: ${violation}`);
  if (result.violations.length > 0) process.exitCode = 1;
}
