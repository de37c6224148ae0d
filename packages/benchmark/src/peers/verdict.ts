import type { Census } from './peer.ts';

export const steps = ['add', 'in flight', 'confirm'] as const;
export type Step = (typeof steps)[number];

/** What one cut connection left behind. */
export interface Aftermath {
  readonly step: Step;
  /** All transactions of the trial; the step was asked for the first alone. */
  readonly hashes: readonly string[];
  /** What the caller was answered, after a second try; `null` for an error or no answer. */
  readonly told: readonly string[] | null;
  readonly census: Census;
}

export interface Verdict {
  /** Done more than once, or to more than was asked. */
  readonly doubled: boolean;
  /** Gone, not done although the caller was told so, or in flight with nobody who knows. */
  readonly lost: boolean;
  /** The caller does not know whether it was done. */
  readonly unknown: boolean;
}

/** How the store compares with what the caller asked for and was told. */
export function judge(aftermath: Aftermath): Verdict {
  return { ...judged(aftermath), unknown: aftermath.told === null };
}

function judged({ step, hashes, told, census }: Aftermath): Pick<Verdict, 'doubled' | 'lost'> {
  const { waiting, inflight, done } = census;
  const everywhere = [...waiting, ...inflight, ...done];
  const twice = new Set(everywhere).size < everywhere.length;
  const known = new Set(told);
  const [asked] = hashes as [string];
  switch (step) {
    case 'add':
      return { doubled: twice, lost: everywhere.length === 0 };
    case 'in flight': {
      const gone = hashes.some((hash) => !everywhere.includes(hash));
      const unheld = inflight.some((hash) => !known.has(hash));
      return { doubled: twice || inflight.length > 1, lost: gone || unheld || told?.length === 0 };
    }
    case 'confirm': {
      const rest = hashes.slice(1).filter((hash) => inflight.includes(hash));
      const undone = told !== null && inflight.includes(asked);
      return { doubled: twice, lost: undone || rest.length < hashes.length - 1 };
    }
  }
}
