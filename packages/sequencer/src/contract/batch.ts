/** The content that a project has in an epoch. */
export interface Leaf {
  readonly project: string;
  readonly cid: string;
}

/** The votes for one project: how many slots voted for each content id, sorted by id. */
export interface ProjectVotes {
  readonly project: string;
  readonly votes: readonly (readonly [cid: string, slots: number])[];
}

/** One validator's results of an epoch, signed and sent to the other validators. */
export interface Batch {
  readonly epoch: number;
  readonly validator: string;
  /** Hex of 32 bytes: the Merkle root of the leaves. */
  readonly root: string;
  /** Where the batch was published. */
  readonly cid: string;
  /** Sorted by project; each project once. */
  readonly leaves: readonly Leaf[];
  /** Of `batchDigest`. */
  readonly signature: string;
}

/** The fields of a batch that its signature covers: the leaves by their root. */
export type BatchHead = Omit<Batch, 'leaves'>;

/** A project without a content id that a quorum of validators found. */
export interface LeftOut {
  readonly project: string;
  /** How many validators found each content id, sorted by id. */
  readonly votes: readonly (readonly [cid: string, validators: number])[];
}

/** The agreed result of an epoch's validators. */
export interface Agreement {
  readonly epoch: number;
  readonly root: string;
  readonly leaves: readonly Leaf[];
  readonly leftOut: readonly LeftOut[];
  /** The validators whose batches were counted, sorted. */
  readonly validators: readonly string[];
  /** Validators that signed two batches with different roots, sorted. None of theirs was counted. */
  readonly equivocating: readonly string[];
}

/** A validator's signature of the root that it agrees with, sent to the other validators. */
export interface Endorsement {
  readonly epoch: number;
  readonly validator: string;
  /** Hex of 32 bytes: the root of an agreement. */
  readonly root: string;
  /** Of `agreementDigest`. */
  readonly signature: string;
}

/** The signed fields of a validator's message. */
export type MessageHead = BatchHead | Endorsement;

/** A quorum's signatures of one root. A chain requires them before it accepts the root. */
export interface Certificate {
  readonly epoch: number;
  readonly root: string;
  /** Of `agreementDigest`, sorted by validator. */
  readonly signatures: readonly Pick<Endorsement, 'validator' | 'signature'>[];
}

/** Why a stored message of another validator was dropped: `{ app }` of the pool's reason. */
export const batchReasons = ['malformed', 'duplicate', 'equivocation', 'late'] as const;

/** One of `batchReasons`. */
export type BatchReason = (typeof batchReasons)[number];
