import type { MempoolStore, OpenOptions } from 'mempool-core';
import { type Call, perform } from './call.ts';

/** What a child process does, and with what. */
export interface TaskInputs {
  /** Makes the calls one after the other, tells each answer, then waits for its end. */
  readonly play: { readonly calls: readonly Call[]; readonly options?: OpenOptions };
  /** Says `ready`, then tells every event, from now on or behind a number. */
  readonly watch: { readonly after?: number };
  /** Uses a store in every way, with a reader left waiting, closes it and lets the process end. */
  readonly finish: { readonly calls: readonly Call[] };
}

export type TaskName = keyof TaskInputs;

/** A child's side of the conversation. */
export interface TaskLink {
  open(options?: OpenOptions): Promise<MempoolStore>;
  tell(message: unknown): Promise<void>;
  /** Lets go of the parent: nothing of the kit keeps the process alive any more. */
  leave(): void;
}

type Task<Input> = (link: TaskLink, input: Input) => Promise<void>;

export const tasks: { readonly [T in TaskName]: Task<TaskInputs[T]> } = {
  async play({ open, tell }, { calls, options }) {
    const store = await open(options);
    for (const call of calls) await tell(await perform(store, call));
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
};
