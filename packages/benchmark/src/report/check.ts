import { digits } from './format.ts';
import type { Result } from './result.ts';
import type { Spread } from './spread.ts';

/** How much worse a ratio may be. Redis is a second process on the same machine, so it varies more. */
const tolerance = { redis: 0.3, others: 0.15 } as const;

/** One ratio of a run: times differ from machine to machine, ratios to a limit hardly do. */
interface Ratio {
  readonly key: string;
  readonly backend: string;
  readonly better: 'higher' | 'lower';
  readonly value: Spread;
}

interface Verdict {
  readonly compared: number;
  /** Ratios of the stored run that this one does not have. */
  readonly missing: number;
  readonly worse: readonly string[];
  /** Past the tolerance, but the middle halves of both runs overlap: noise alone may explain it. */
  readonly unsure: readonly string[];
}

/** Prints what got worse; the exit code is 1 then, and where nothing could be compared. */
export function check(stored: Result, now: Result): void {
  const { compared, missing, worse, unsure } = compare(stored, now);
  for (const one of unsure) console.error(`perhaps worse, the spread is too wide to tell: ${one}`);
  for (const one of worse) console.error(`worse: ${one}`);
  console.error(`${compared} ratios compared, ${worse.length} worse; ${missing} of the stored run not measured`);
  if (worse.length > 0 || compared === 0) process.exitCode = 1;
}

/** Compares what both runs measured; what only one of them has is left out. */
export function compare(stored: Result, now: Result): Verdict {
  const before = new Map(ratiosOf(stored).map((ratio) => [ratio.key, ratio.value]));
  const [worse, unsure]: [string[], string[]] = [[], []];
  const both = ratiosOf(now).filter(({ key }) => before.has(key));
  for (const ratio of both) {
    const [old, { key, value }] = [before.get(ratio.key) as Spread, ratio];
    if (!isPast(old, ratio)) continue;
    const overlaps = old.lower <= value.upper && value.lower <= old.upper;
    (overlaps ? unsure : worse).push(`${key}: ${digits(old.median)} → ${digits(value.median)}`);
  }
  return { compared: both.length, missing: before.size - both.length, worse, unsure };
}

function isPast(old: Spread, { value, backend, better }: Ratio): boolean {
  const allowed = backend === 'redis' ? tolerance.redis : tolerance.others;
  return better === 'higher' ? value.median < old.median * (1 - allowed) : value.median > old.median * (1 + allowed);
}

function ratiosOf({ rows, goals }: Result): Ratio[] {
  const ofRows = rows.flatMap(({ backend, title, n, limits }) =>
    limits.map(({ name, ratio }): Ratio => {
      const key = `${backend}: ${title}, n = ${n.toLocaleString('en')}, against ${name}`;
      return { key, backend, better: 'higher', value: ratio };
    }),
  );
  const ratios = goals.filter(({ unit }) => unit === '×');
  const ofGoals = ratios.map(({ backend, title, goal, value }): Ratio => {
    return { key: `${backend}: ${title}`, backend, better: goal.kind === 'at least' ? 'higher' : 'lower', value };
  });
  return [...ofRows, ...ofGoals];
}
