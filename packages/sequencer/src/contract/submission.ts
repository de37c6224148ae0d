/** The signed message of a peer: for this epoch and project, this slot votes for this content id. */
export interface Submission {
  readonly epoch: number;
  /** The number of the submitter's seat. One slot has one vote per project. */
  readonly slot: number;
  /** 1–256 printable ASCII characters without spaces. */
  readonly project: string;
  /** 1–256 printable ASCII characters without spaces. */
  readonly cid: string;
  /** Of `submissionDigest`: hex, with or without `0x`. */
  readonly signature: string;
}

/** The payload of a submission in an epoch's pool. The hash of the transaction is `submissionDigest`. */
export interface StoredSubmission extends Submission {
  /** The peer that passed it on to the gateway. */
  readonly peer: string;
  /** Milliseconds since 1970, by the gateway's clock. */
  readonly at: number;
}

/** A digest, the slot that claims to have signed it, and the signature. */
export interface SlotSignature extends Pick<Submission, 'epoch' | 'slot' | 'signature'> {
  /** `submissionDigest`: hex of 32 bytes. */
  readonly digest: string;
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
export const submissionReasons = ['malformed', 'rejected', 'equivocation', 'late'] as const;

/** One of `submissionReasons`. */
export type SubmissionReason = (typeof submissionReasons)[number];

/** The answer of the gateway. Only `received` and `duplicate` are stored. */
export type Accepted =
  | { readonly kind: 'received'; readonly hash: string }
  | { readonly kind: 'duplicate'; readonly hash: string }
  /** The peer has sent more than it may: it may send again after so many milliseconds. */
  | { readonly kind: 'rate-limit'; readonly retryMs: number }
  /** There is no such epoch here. */
  | { readonly kind: 'unknown-epoch' }
  /** The epoch's window was over a second ago, by this process's clock; for a validator's message, it cannot change the epoch any more. */
  | { readonly kind: 'closed' }
  | { readonly kind: 'too-large'; readonly maxBytes: number }
  /** A field is missing, or does not have its form. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown-slot' }
  /** The epoch has no such validator. */
  | { readonly kind: 'unknown-validator' }
  | { readonly kind: 'bad-signature' }
  /** As many messages of the slot or validator are stored for this epoch as it may send. */
  | { readonly kind: 'quota'; readonly limit: number }
  /** The epoch's pool holds as many as it may. */
  | { readonly kind: 'full' };
