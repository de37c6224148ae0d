import { setTimeout as delay } from 'node:timers/promises';
import type { MempoolStore, OpenOptions } from 'mempool-core';
import type { CampaignRequest, LeaseStore } from 'mempool-election';
import { type Call, perform } from '../case/call.ts';
import type { LeasesOptions } from '../case/case.ts';

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

/** A child's side of the conversation. */
export interface TaskLink {
  /** Of the subject. */
  readonly name: string;
  open(options?: OpenOptions): Promise<MempoolStore>;
  leases(options?: LeasesOptions): Promise<LeaseStore>;
  /** The next word of the parent. */
  heard(): Promise<unknown>;
  tell(message: unknown): Promise<void>;
  /** Lets go of the parent: nothing of the kit keeps the process alive any more. */
  leave(): void;
}

type Task<Input> = (link: TaskLink, input: Input) => Promise<void>;

export const tasks: { readonly [T in TaskName]: Task<TaskInputs[T]> } = {
  async introduce(link, { calls }) {
    await link.tell(link.name);
    if (calls.length > 0) await tasks.play(link, { calls });
  },
  async play({ open, tell }, { calls, options }) {
    const store = await open(options);
    for (const call of calls) await tell(await perform(store, call));
  },
  async storm({ open, tell }, { calls, options }) {
    const store = await open(options);
    await tell('ready');
    for (const call of calls) await perform(store, call);
  },
  async watch({ open, tell }, { after }) {
    const store = await open();
    const stream = await store.subscribe(after === undefined ? {} : { after });
    await tell('ready');
    for await (const event of stream) await tell(event);
  },
  async finish({ open, leave }, { calls }) {
    const store = await open();
    const waiting = (await store.subscribe())[Symbol.asyncIterator]();
    const next = waiting.next();
    for (const call of calls) await perform(store, call);
    await Promise.all([store.peekPending(), store.tip(), store.usage()]);
    await store.close();
    await next;
    leave();
  },
  async campaign({ leases, tell, heard }, request) {
    const store = await leases(request);
    await tell('ready');
    await heard();
    await tell(await store.campaign(request));
  },
  async lead({ leases, tell }, request) {
    const store = await leases(request);
    const reply = await store.campaign(request);
    await tell(reply);
    if (reply.kind !== 'won') return;
    const { candidate, ttlMs } = request;
    for (;;) {
      await delay(ttlMs / 5);
      await tell(await store.renew(reply.lease, { candidate, ttlMs, heartbeat: 'beat' }));
    }
  },
  async finishLeases({ leases, leave }, request) {
    const [store, other] = [await leases(request), await leases(request)];
    store.onHint(() => undefined);
    const reply = await store.campaign(request);
    await store.heartbeat(request.candidate, request.ttlMs);
    await Promise.all([other.observe(), other.members()]);
    if (reply.kind === 'won') await store.renew(reply.lease, { ...request, heartbeat: 'beat' });
    await Promise.all([store.close(), other.close()]);
    leave();
  },
};
