import { isDeepStrictEqual } from 'node:util';
import type { StoreEvent } from 'mempool-core';
import { type Answer, type Call, perform } from '../case/call.ts';
import type { Model } from '../model/model.ts';
import { timeless } from '../scenario/pool.ts';

/** The calls of one node, in its order, with their answers. */
export type Lane = readonly { readonly call: Call; readonly answer: Answer }[];

/**
 * N1: looks for a serial order of several nodes' calls that explains every answer, the events (without times) in their order and, by
 * `explains`, the state after them. `null` if there is none.
 */
export async function serialOrder(
  start: Model,
  lanes: readonly Lane[],
  events: readonly StoreEvent[],
  explains: (model: Model) => Promise<boolean>,
): Promise<Model | null> {
  const told = start.usage().lastEventSeq;
  // If answers and events fit, the order of the calls before a position does not matter: a position that failed fails again.
  const failed = new Set<string>();
  const search = async (model: Model, rest: readonly Lane[]): Promise<Model | null> => {
    if (rest.every((lane) => lane.length === 0)) return (await explains(model)) ? model : null;
    const position = rest.map(({ length }) => length).join(' ');
    if (failed.has(position)) return null;
    for (const [i, [head, ...tail]] of rest.entries()) {
      if (head === undefined) continue;
      const next = model.copy();
      if (!isDeepStrictEqual(await perform(next, head.call), head.answer)) continue;
      if (!begins(events, next.eventsAfter(told))) continue;
      const found = await search(next, rest.with(i, tail));
      if (found !== null) return found;
    }
    failed.add(position);
    return null;
  };
  return search(start, lanes);
}

function begins(events: readonly StoreEvent[], made: readonly StoreEvent[]): boolean {
  return isDeepStrictEqual(events.slice(0, made.length), timeless(made));
}
