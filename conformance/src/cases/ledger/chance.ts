import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustLedger } from '../../case/must.ts';
import { checkLedgerHistory, type LedgerPair, makeLedgerHistory, openModel } from '../../histories/ledger-history.ts';

const maxRefusals = 40;
const steps = 150;

async function pairOf(context: CaseContext, hasClock: boolean): Promise<LedgerPair> {
  const clock = { now: 1_800_000_000_000 };
  const now = () => clock.now;
  const subject = await context.ledger({ name: context.newPool(), maxRefusals, ...(hasClock && { now }) });
  const pass = (ms: number): void => {
    clock.now += ms;
  };
  return { subject, model: await openModel({ now, maxRefusals }), pass };
}

async function chance(context: CaseContext, hasClock: boolean): Promise<void> {
  const { random, effort, signal } = context;
  const history = makeLedgerHistory(random, steps * effort, hasClock);
  const options = { exact: hasClock, every: 10, seed: random.seed, signal };
  await checkLedgerHistory(history, () => pairOf(context, hasClock), options);
}

export const chanceCases: readonly ConformanceCase[] = [
  ...[1, 2].map((n) =>
    mustLedger(`chance/calls-${n}`, 'random calls: answers, events and pages are the model’s', (context) =>
      chance(context, false),
    ),
  ),
  mustLedger(
    'chance/time',
    'random calls while time passes: also times and digests are the model’s',
    (context) => chance(context, true),
    ['clock'],
  ),
];
