import { isMempoolError, type MempoolEvent, type MempoolStore } from 'mempool-core';
import type { Fault } from './fault.ts';

const isDamage = (error: unknown): boolean => isMempoolError(error, 'ERR_MEMPOOL_CORRUPT');

async function* withoutLoss(stream: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
  for await (const event of stream) if (event.kind !== 'lagged') yield event;
}

/** A verdict that says nothing, as an entry is stored. */
const silent = '911830613060f6008080f6f6f5800100000001f6';

/** Faults in what is made of a record that cannot be read. */
export const damageFaults: readonly Fault[] = [
  {
    id: 'a-damaged-payload-ends-the-pages',
    kills: ['M2/damaged-payload'],
    plant: (store: MempoolStore) => ({
      peekPending: (query) => store.peekPending(query).catch((error) => (isDamage(error) ? [] : Promise.reject(error))),
    }),
  },
  {
    id: 'a-damaged-verdict-says-nothing',
    kills: ['M2/damaged-entry'],
    sabotage: `UPDATE entry SET record = x'${silent}' WHERE length(record) < 16`,
  },
  {
    id: 'a-damaged-log-entry-is-finalized',
    kills: ['M2/damaged-log', 'M2/damaged-log-received'],
    sabotage: 'UPDATE log SET stage = 4, point = zeroblob(40), reason = NULL WHERE stage > 5',
  },
  {
    id: 'a-damaged-log-entry-is-dropped',
    kills: ['M2/damaged-log', 'M2/damaged-log-finalized'],
    sabotage: "UPDATE log SET stage = 5, point = NULL, reason = 'unknown' WHERE stage > 5",
  },
  {
    id: 'a-damaged-point-is-forgotten',
    kills: ['M2/damaged-point'],
    sabotage: 'DELETE FROM block WHERE length(point) < 40',
  },
  {
    id: 'damaged-events-are-passed-over',
    kills: ['M2/damaged-event'],
    hangs: ['M2/damaged-event'],
    plant: (store) => ({ subscribe: async (options) => withoutLoss(await store.subscribe(options)) }),
  },
  {
    id: 'a-call-with-a-damaged-outcome-is-a-new-one',
    kills: ['M2/damaged-operation'],
    plant: (store) => ({
      receive: (batch, options) =>
        store
          .receive(batch, options)
          .catch((error) => (isDamage(error) ? store.receive(batch) : Promise.reject(error))),
    }),
  },
  {
    id: 'a-damaged-lease-is-a-lease',
    kills: ['M2/damaged-lease'],
    sabotage: "UPDATE lease SET seq = 0 WHERE typeof(seq) = 'text'",
  },
  {
    id: 'damaged-counters-begin-anew',
    kills: ['M2/damaged-meta'],
    sabotage: "UPDATE step SET last_seq = 0 WHERE typeof(last_seq) = 'text'",
  },
];
