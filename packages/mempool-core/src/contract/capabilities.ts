/** What a backend promises beyond the core of the contract: the same before `open` and after `close`. */
export interface Capabilities {
  /** State survives `close` and a killed process (D1). */
  readonly durable: boolean;
  /** Opening the same pool again, here or in another process, is another node on the same state (N1). */
  readonly shared: boolean;
  /** `confirm` and `rollback` apply only under the live lease of the pool's election (X6). */
  readonly lease: boolean;
  /** Pools may be ordered by priority: `ordering: 'priority'` at open. */
  readonly priority: boolean;
}
