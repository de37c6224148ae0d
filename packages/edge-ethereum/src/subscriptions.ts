import { randomBytes } from 'node:crypto';
import { type Hex, toHex } from 'viem';
import type { FullFeed } from './full-feed.ts';
import type { HeadFeed } from './head-feed.ts';
import { type Params, textParam } from './params.ts';
import type { ReadyFeed } from './ready-feed.ts';
import { RpcError, rpcCodes } from './rpc-error.ts';

/** The feeds that a client can subscribe to. */
export interface Feeds {
  readonly ready: ReadyFeed;
  readonly full: FullFeed;
  readonly heads: HeadFeed;
}

/** Sends a notification to the client. */
export type Notify = (text: string) => void;

const maxSubscriptions = 64;

/** The subscriptions of one WebSocket. */
export class Subscriptions {
  readonly #feeds: Feeds;
  readonly #notify: Notify;
  readonly #removals = new Map<string, () => void>();
  #isEnded = false;

  constructor(feeds: Feeds, notify: Notify) {
    this.#feeds = feeds;
    this.#notify = notify;
  }

  /** The number of subscriptions. */
  get count(): number {
    return this.#removals.size;
  }

  /** Answers `eth_subscribe`. @throws `RpcError`; the pool's error */
  async add(params: Params): Promise<Hex> {
    const kind = textParam(params, 0);
    if (this.#removals.size >= maxSubscriptions)
      throw new RpcError(rpcCodes.limit, `at most ${maxSubscriptions} subscriptions of one connection`);
    const id = toHex(randomBytes(16));
    // The place is taken before the first wait, and nothing is sent before the answer with the id.
    this.#removals.set(id, () => undefined);
    try {
      const remove = await this.#listen(kind, params[1], afterAnswer(this.#notifier(id)));
      if (this.#isEnded) remove();
      else this.#removals.set(id, remove);
      return id;
    } catch (error) {
      this.#removals.delete(id);
      throw error;
    }
  }

  /** Answers `eth_unsubscribe`. */
  remove(id: string): boolean {
    this.#removals.get(id)?.();
    return this.#removals.delete(id);
  }

  /** Ends all subscriptions, because the client has disconnected. */
  end(): void {
    this.#isEnded = true;
    for (const id of [...this.#removals.keys()]) this.remove(id);
  }

  async #listen(kind: string, detail: unknown, send: Notify): Promise<() => void> {
    const { ready, full, heads } = this.#feeds;
    switch (kind) {
      case 'newPendingTransactions':
        await ready.start();
        if (detail === true) return full.listen((texts) => texts.forEach(send));
        return ready.listen((hashes) => {
          for (const hash of hashes) send(`"0x${hash}"`);
        });
      case 'newHeads':
        return heads.listen(send);
    }
    throw new RpcError(rpcCodes.method, `no ${JSON.stringify(kind.slice(0, 64))} subscription in eth namespace`);
  }

  #notifier(id: Hex): Notify {
    return (result) => {
      if (!this.#removals.has(id)) return;
      const params = `{"subscription":"${id}","result":${result}}`;
      this.#notify(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`);
    };
  }
}

/** Holds back until the event loop's next turn: the answer of the call goes out before. */
function afterAnswer(send: Notify): Notify {
  let held: string[] | null = [];
  setImmediate(() => {
    const all = held ?? [];
    held = null;
    all.forEach(send);
  });
  return (text) => {
    if (held === null) send(text);
    else held.push(text);
  };
}
