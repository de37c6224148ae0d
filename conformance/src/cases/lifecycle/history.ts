import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import type { HistoryScope } from '../../histories/pool/call-maker.ts';
import { checkHistory } from '../../histories/pool/history.ts';

const steps = 300;
/** Leaves time to shorten a failing history. */
const withinMs = 12_000;

const kinds: Readonly<Record<HistoryScope, string>> = {
  basic: 'a fifo pool, of the verbs that each has',
  fifo: 'a fifo pool',
  priority: 'a priority pool',
};

/** The seed of each is its own, and follows from that of the suite. */
function historyCase(id: string, scope: HistoryScope, needs: readonly Need[]): ConformanceCase {
  return {
    id: `history/${id}`,
    level: 'MUST',
    rule: 'history',
    title: `after each of ${steps} random calls to ${kinds[scope]}, outcomes, events and state are as the rules say`,
    since: '0.1.0',
    needs,
    run: (context) => check(context, scope),
  };
}

async function check({ newPool, openNamed, random, effort, signal }: CaseContext, scope: HistoryScope): Promise<void> {
  const names: string[] = [];
  const open = (options: Parameters<typeof openNamed>[1], pool: number) => {
    names[pool] ??= newPool();
    return openNamed(names[pool], options);
  };
  const length = { steps: steps * effort, withinMs };
  await checkHistory({ seed: random.uint32(), ...length, scope, open, signal });
}

/** Cases with random calls, for faults that only a combination of rules shows. */
export const historyCases: readonly ConformanceCase[] = [
  historyCase('random-1', 'basic', []),
  historyCase('fifo', 'fifo', ['arrival-verbs']),
  historyCase('priority', 'priority', ['priority']),
  historyCase('priority-2', 'priority', ['priority']),
];
