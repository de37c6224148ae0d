/** Bounds of a ledger. Lengths of texts are in UTF-16 code units unless they say bytes. */
export const ledgerLimits = {
  /** 2^63 − 1: the most that a transfer may move and a running total may hold. */
  maxAmount: 9_223_372_036_854_775_807n,
  maxWalletIdLength: 64,
  /** Longer than a wallet's: a reservation of a pool is named by a hash of 64 digits and a number. */
  maxTransferIdLength: 128,
  maxTags: 32,
  maxTagLength: 256,
  maxOwnerLength: 256,
  maxCurrencyLength: 16,
  maxDescriptionLength: 512,
  /** Of the metadata's JSON, in bytes. */
  maxMetadataBytes: 4_096,
  maxSignerLength: 160,
  maxBatch: 1_000,
  maxPage: 1_000,
  /** Recorded refusals of one owner, unless the ledger is opened with another number. */
  maxRefusals: 10_000,
  /** How far the time of an id may be ahead of the store's clock, in milliseconds. */
  maxClockAheadMs: 300_000,
} as const;
