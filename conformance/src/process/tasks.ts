import { setTimeout as delay } from 'node:timers/promises';
import type { OpenOptions } from 'mempool-core';
import type { LeaseStore } from 'mempool-election';
import { perform } from '../case/call.ts';
import type { LeasesOptions } from '../case/case.ts';
import type { TaskInputs, TaskName } from '../case/task.ts';
import type { OpenedPool } from '../case/tested-pool.ts';

/** The link of a child to its parent. */
export interface TaskLink {
  /** The subject's name. */
  readonly name: string;
  open(options?: OpenOptions): Promise<OpenedPool>;
  leases(options?: LeasesOptions): Promise<LeaseStore>;
  /** Resolves with the parent's next message. */
  heard(): Promise<unknown>;
  tell(message: unknown): Promise<void>;
  /** Disconnects from the parent. After that, nothing of the kit keeps the process alive. */
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
    for (const call of calls) await (call.verb === 'import' ? store.import(...call.args) : perform(store, call));
  },
  async watch({ open, tell }) {
    const store = await open();
    const stream = await store.subscribe();
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
