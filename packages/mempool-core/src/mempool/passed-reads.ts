/** The reads of a store that `Mempool` passes on: they go straight to the store. */
export const passedReads = [
  'hasPending',
  'peekPending',
  'peekInflight',
  'peekParked',
  'findInflight',
  'payloads',
  'checkStatus',
  'dumpFinalized',
  'reap',
  'best',
  'since',
  'stale',
  'subscribe',
  'tip',
  'usage',
] as const;
