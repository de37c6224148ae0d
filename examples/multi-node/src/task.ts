import type { Plan } from './plan.ts';
import type { ViewSummary } from './view.ts';

/** How a node is started. */
export interface NodeTask {
  readonly url: string;
  readonly pool: string;
  readonly plan: Plan;
  readonly node: number;
  /** The pool's last event before the run. */
  readonly after: number;
}

/** What a node tells when it has seen the end of the run. */
export interface NodeReport extends ViewSummary {
  readonly node: number;
  readonly received: number;
  /** Transactions that another node had brought in before. */
  readonly known: number;
  /** Whether the pool agrees with what the node saw. */
  readonly isTrue: boolean;
}
