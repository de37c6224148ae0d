import type { Summary } from 'mempool-server';
import { formatClock, formatDate } from '../format/times.ts';
import type { Connection } from './connection.ts';

/** The state in the header. `note` is worth knowing; `bad` is a fault and shown as one. */
export interface Health {
  readonly level: 'good' | 'note' | 'bad';
  /** One word for the status. */
  readonly word: string;
  /** Sentences about the faults, the worst first. */
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/** The facts from which the health follows. */
export interface HealthFacts {
  readonly connection: Connection;
  /** The server's reason for not being ready; `null`: it is ready. */
  readonly notReady: string | null;
  readonly summary: Pick<Summary, 'since'> | null;
}

export function healthOf({ connection, notReady, summary }: HealthFacts): Health {
  const faults = [...connectionFaults(connection), ...(notReady === null ? [] : [notReady])];
  const notes = summary === null ? [] : lossNotes(summary);
  if (faults.length > 0) return { level: 'bad', word: wordOf(connection), faults, notes };
  if (connection.stream === 'connecting') return { level: 'note', word: 'Connecting', faults, notes };
  if (connection.stream === 'paused') return { level: 'note', word: 'Paused', faults, notes };
  return { level: notes.length > 0 ? 'note' : 'good', word: 'Live', faults, notes };
}

function connectionFaults({ silentSince, failure, streamLostAt }: Connection): string[] {
  if (silentSince !== null)
    return [`No data from the server since ${formatClock(silentSince)}: ${failure}. The numbers below are old.`];
  if (streamLostAt === null) return [];
  return [`Live updates were lost at ${formatClock(streamLostAt)}. Reconnecting; the numbers are read meanwhile.`];
}

function wordOf({ silentSince, streamLostAt }: Connection): string {
  if (silentSince !== null) return 'No data';
  return streamLostAt === null ? 'Not ready' : 'Reconnecting';
}

function lossNotes({ since }: NonNullable<HealthFacts['summary']>): string[] {
  if (since === null) return [];
  return [`Earlier events are missing: totals count from ${formatDate(since)} on, and charts are incomplete before.`];
}
