import { Random } from 'mempool-conformance';
import { limitNames, type MempoolStore, type OpenOptions } from 'mempool-core';
import { wrappedStore } from 'mempool-core/backend';

/** Calls after which the nodes that come and go are opened anew, on average. */
const reopenEvery = 60;

/**
 * Several nodes on one pool as one store: each call goes to any of them. The first stays and has the event streams, the others come
 * and go. Of the clock and the thresholds every node says the same; limits are said by the first alone.
 */
export async function manyNodes(
  count: number,
  open: (options: OpenOptions) => Promise<MempoolStore>,
  options: OpenOptions,
): Promise<MempoolStore> {
  const unlimited = Object.fromEntries(
    Object.entries(options).filter(([name]) => !limitNames.some((limit) => limit === name)),
  );
  const first = await open(options);
  const others: MempoolStore[] = [];
  while (others.length < count - 1) others.push(await open(unlimited));
  const random = new Random(count);
  const close = async (): Promise<void> => {
    for (const node of [...others, first]) await node.close();
  };
  const replace = async (at: number): Promise<void> => {
    const fresh = await open(unlimited);
    const old = others[at];
    others[at] = fresh;
    await old?.close();
  };
  const call = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const at = random.below(count) - 1;
    if (at >= 0 && random.below(reopenEvery) === 0) await replace(at);
    const node = others[at] ?? first;
    const verb = Reflect.get(node, name) as (...given: readonly unknown[]) => unknown;
    return Reflect.apply(verb, node, args);
  };
  return new Proxy(first, {
    has: (_, name) => name === wrappedStore || Reflect.has(first, name),
    get: (_, name) => {
      if (name === wrappedStore) return others[random.below(count) - 1] ?? first;
      if (name === 'close' || name === Symbol.asyncDispose) return close;
      if (name === 'subscribe') return first.subscribe.bind(first);
      if (typeof Reflect.get(first, name) !== 'function') return Reflect.get(first, name);
      return (...args: readonly unknown[]) => call(String(name), args);
    },
  });
}
