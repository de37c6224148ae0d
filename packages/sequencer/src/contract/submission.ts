/** What a validator's peer signed: for this epoch and project, this slot says that the content has this id. */
export interface Submission {
  readonly epoch: number;
  /** The number of the submitter's seat. One slot has one vote per project. */
  readonly slot: number;
  /** 1–256 printable ASCII characters without spaces. */
  readonly project: string;
  /** 1–256 printable ASCII characters without spaces. */
  readonly cid: string;
  /** Hex, with or without `0x`; what it signs is for `verify` to say. */
  readonly signature: string;
}

/** What an epoch's pool keeps of a submission: the message as it came, who sent it, and when. */
export interface Envelope {
  readonly slot: number;
  readonly peer: string;
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly at: number;
  /** The message as it came. Its digest is the hash of the transaction. */
  readonly message: string;
}

/** A checked submission, as the tally needs it. */
export interface Vote {
  /** The hash of the transaction that carries it. */
  readonly hash: string;
  readonly slot: number;
  readonly project: string;
  readonly cid: string;
}

/** Why a submission of an epoch's pool was dropped: `{ app }` of the pool's reason. */
export const submissionReasons = [
  'malformed',
  'wrong-epoch',
  'unknown-slot',
  'bad-signature',
  'equivocation',
  'late',
] as const;

/** One of `submissionReasons`. */
export type SubmissionReason = (typeof submissionReasons)[number];

/** What the gateway answers. Only `received` and `duplicate` are in the epoch's pool. */
export type Accepted =
  | { readonly kind: 'received'; readonly hash: string }
  | { readonly kind: 'duplicate'; readonly hash: string }
  /** The peer has sent more than it may: it may send again after so many milliseconds. */
  | { readonly kind: 'rate-limit'; readonly retryMs: number }
  /** There is no such epoch here. */
  | { readonly kind: 'unknown-epoch' }
  /** The epoch's window is over. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  /** Without a whole `epoch` and `slot` a message belongs nowhere. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown-slot' }
  /** The slot has sent as many messages for this epoch as it may. */
  | { readonly kind: 'slot-limit'; readonly limit: number }
  /** The epoch's pool holds as many as it may. */
  | { readonly kind: 'full' };
