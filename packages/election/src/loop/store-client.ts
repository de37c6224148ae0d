import { ElectionError } from '../contract/errors.ts';
import type { Lease, Member } from '../contract/lease.ts';
import type {
  CampaignReply,
  CampaignRequest,
  LeaseStore,
  Observation,
  RenewReply,
  RenewRequest,
} from '../contract/lease-store.ts';
import { type ClockReading, readClock } from '../node/clock-reading.ts';
import type { Settings } from '../node/settings.ts';
import { assertReply, type StoreVerb } from './store-replies.ts';

/** The result of a call: its answer, or an error. After an error the call may still have taken effect. */
export type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T; readonly sent: ClockReading }
  | { readonly kind: 'none'; readonly error: unknown };

/** Calls a lease store. No call rejects, and none takes longer than `commandTimeoutMs`. */
export class StoreClient {
  readonly #store: LeaseStore;
  readonly #settings: Settings;
  readonly #onError: () => void;
  readonly #underWay = new Set<Promise<unknown>>();
  #failing = false;

  constructor(store: LeaseStore, settings: Settings, onError: () => void) {
    this.#store = store;
    this.#settings = settings;
    this.#onError = onError;
  }

  campaign(request: CampaignRequest): Promise<Answer<CampaignReply>> {
    return this.#ask('campaign', () => this.#store.campaign(request));
  }

  renew(lease: Lease, request: RenewRequest): Promise<Answer<RenewReply>> {
    return this.#ask('renew', () => this.#store.renew(lease, request));
  }

  reinstate(lease: Lease, request: RenewRequest): Promise<Answer<RenewReply>> {
    return this.#ask('reinstate', () => this.#store.reinstate(lease, request));
  }

  release(holder: Pick<Lease, 'nodeId' | 'token'>): Promise<Answer<boolean>> {
    return this.#ask('release', () => this.#store.release(holder));
  }

  observe(): Promise<Answer<Observation>> {
    return this.#ask('observe', () => this.#store.observe());
  }

  heartbeat(): Promise<Answer<Member[]>> {
    const { candidate, ttlMs } = this.#settings;
    return this.#ask('heartbeat', () => this.#store.heartbeat(candidate, ttlMs));
  }

  members(): Promise<Answer<Member[]>> {
    return this.#ask('members', () => this.#store.members());
  }

  /** Waits for the calls under way, then closes the store. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    try {
      await this.#store.close();
    } catch (error) {
      this.#settings.log('warn', 'closing the lease store failed', { error });
    }
  }

  async #ask<T>(verb: StoreVerb, call: () => Promise<T>): Promise<Answer<T>> {
    const answer = this.#answer(verb, call);
    this.#underWay.add(answer);
    try {
      return await answer;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  async #answer<T>(verb: StoreVerb, call: () => Promise<T>): Promise<Answer<T>> {
    const sent = readClock(this.#settings.clock);
    try {
      const value = await this.#inTime(verb, call);
      assertReply(verb, value);
      this.#failing = false;
      return { kind: 'answer', value, sent };
    } catch (error) {
      this.#settings.log(this.#failing ? 'debug' : 'warn', 'the lease store did not answer', { verb, error });
      this.#failing = true;
      this.#onError();
      return { kind: 'none', error };
    }
  }

  #inTime<T>(verb: string, call: () => Promise<T>): Promise<T> {
    const { clock, commandTimeoutMs } = this.#settings;
    return new Promise<T>((resolve, reject) => {
      const late = () => reject(new ElectionError('ERR_ELECTION_UNAVAILABLE', `no answer to ${verb} in time`));
      const cancel = clock.schedule(late, commandTimeoutMs);
      // Called in a promise, so that a store that throws is handled like one that rejects.
      void Promise.resolve().then(call).then(resolve, reject).finally(cancel);
    });
  }
}
