import type { OpenOptions } from 'mempool-core';
import type { CampaignRequest } from 'mempool-election';
import type { Call, ImportCall } from './call.ts';

/** The tasks of a child process, with the input of each. */
export interface TaskInputs {
  /** Sends the name of the subject that its module exports, then makes the calls like `play`. */
  readonly introduce: { readonly calls: readonly Call[] };
  /** Makes the calls one after the other, sends each answer, then waits to be ended. */
  readonly play: { readonly calls: readonly Call[]; readonly options?: OpenOptions };
  /** Sends `ready`, makes the calls one after the other as fast as it can without sending answers, then waits to be ended. */
  readonly storm: { readonly calls: readonly (Call | ImportCall)[]; readonly options?: OpenOptions };
  /** Sends `ready`, then every event, from now on or after a number. */
  readonly watch: { readonly after?: number };
  /** Uses every verb of a store, leaves a reader waiting, closes the store and lets the process end. */
  readonly finish: { readonly calls: readonly Call[] };
  /** Sends `ready`, waits for a message, campaigns and sends the reply. */
  readonly campaign: CampaignRequest;
  /** Wins the lease, sends the reply and renews the lease until it is ended. */
  readonly lead: CampaignRequest;
  /** Uses every verb of an election's leases, leaves a listener, closes them and lets the process end. */
  readonly finishLeases: CampaignRequest;
}

export type TaskName = keyof TaskInputs;
