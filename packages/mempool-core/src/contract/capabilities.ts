/** What a backend promises beyond the basic contract. The values never change. */
export interface Capabilities {
  /** The state survives `close` and a killed process (D1). */
  readonly durable: boolean;
  /** The same pool may be open several times, also in several processes: each is a node on the same state (N1). */
  readonly shared: boolean;
  /** The backend can check leases: `confirm` and `rollback` are fenced by the pool's election (X6). */
  readonly lease: boolean;
  /** The backend offers priority pools: `ordering: 'priority'`. */
  readonly priority: boolean;
}
