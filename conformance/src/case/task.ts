import type { OpenOptions } from 'mempool-core';
import type { CampaignRequest } from 'mempool-election';
import type { Call } from './call.ts';

/** What a child process does, and with what. */
export interface TaskInputs {
  /** Tells the name of the subject that its module exports, then makes the calls like `play`. */
  readonly introduce: { readonly calls: readonly Call[] };
  /** Makes the calls one after the other, tells each answer, then waits for its end. */
  readonly play: { readonly calls: readonly Call[]; readonly options?: OpenOptions };
  /** Says `ready`, then makes the calls one after the other as fast as it can, tells nothing, and waits for its end. */
  readonly storm: { readonly calls: readonly Call[]; readonly options?: OpenOptions };
  /** Says `ready`, then tells every event, from now on or behind a number. */
  readonly watch: { readonly after?: number };
  /** Uses a store in every way, with a reader left waiting, closes it and lets the process end. */
  readonly finish: { readonly calls: readonly Call[] };
  /** Says `ready`, waits for a word, campaigns and tells the reply. */
  readonly campaign: CampaignRequest;
  /** Wins the lease, tells the reply and renews it until its end. */
  readonly lead: CampaignRequest;
  /** Uses an election's leases in every way, with a listener left, closes them and lets the process end. */
  readonly finishLeases: CampaignRequest;
}

export type TaskName = keyof TaskInputs;
