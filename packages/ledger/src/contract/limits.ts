/** The limits of every ledger. Lengths of texts are in UTF-16 code units, unless the name ends in `Bytes`. */
export const ledgerLimits = {
  /** The largest amount of a transfer, and of a running total: 2^63 − 1. */
  maxAmount: 9_223_372_036_854_775_807n,
  maxWalletIdLength: 64,
  /** The longest id of a transfer. It is longer than a wallet's, because the id of a pool's reservation has a hash and a number. */
  maxTransferIdLength: 128,
  maxTags: 32,
  maxTagLength: 256,
  maxOwnerLength: 256,
  maxCurrencyLength: 16,
  maxDescriptionLength: 512,
  /** The largest metadata, as JSON. */
  maxMetadataBytes: 4_096,
  maxBatch: 1_000,
  maxPage: 1_000,
  /** The default number of recorded refusals of one owner. */
  maxRefusals: 10_000,
  /** How far the time of an id may be ahead of the store's clock, in milliseconds. */
  maxClockAheadMs: 300_000,
} as const;
