import { z } from '@hono/zod-openapi';
import type { Election, LeaderView } from 'mempool-election';
import { type Endpoint, jsonEndpoint } from './endpoint.ts';

const leader = z.object({ nodeId: z.string(), term: z.int() }).loose().nullable();
const change = z.object({ at: z.int(), nodeId: z.string().nullable(), term: z.int() });

/** Who leads. Without an election there is no leader and no node. */
export function electionEndpoints(election: Election | null): Endpoint[] {
  const changes = election === null ? null : new LeaderChanges(election);
  return [
    jsonEndpoint({
      path: '/api/v1/leader',
      summary: 'Who leads the election, as this node sees it',
      tag: 'monitor',
      description:
        'election is null where there is none. `leaseMs`: how long the lease lasts without a renewal; null unless this node leads. `changes`: the last ones that this server saw, newest first; nodeId is null where nobody led.',
      schema: z.object({
        election: z.string().nullable(),
        nodeId: z.string().nullable(),
        state: z.string().nullable(),
        term: z.int().nullable(),
        leader,
        leaseMs: z.int().nullable(),
        changes: z.array(change),
      }),
      answer: () => ({ ...viewOf(election), changes: changes?.last() ?? [] }),
    }),
    jsonEndpoint({
      path: '/api/v1/nodes',
      summary: 'The nodes that take part in the election',
      tag: 'monitor',
      description: 'By their heartbeats.',
      schema: z.object({ items: z.array(z.looseObject({ nodeId: z.string() })) }),
      answer: async () => ({ items: (await election?.members()) ?? [] }),
    }),
  ];
}

function viewOf(election: Election | null): object {
  if (election === null) return { election: null, nodeId: null, state: null, term: null, leader: null, leaseMs: null };
  const { name, id, state, term, leader, leadership } = election;
  const leaseMs = leadership === null ? null : Math.round(leadership.remainingMs());
  return { election: name, nodeId: id, state, term, leader, leaseMs };
}

/** By the clock of this server, in milliseconds since 1970. */
interface LeaderChange {
  readonly at: number;
  readonly nodeId: string | null;
  readonly term: number;
}

const keptChanges = 20;

/** The last changes of the leader, as this node saw them. */
class LeaderChanges {
  #changes: readonly LeaderChange[] = [];

  constructor(election: Election) {
    election.on('leader-changed', ({ leader: now, term }) => this.#add(now, term));
  }

  last(): readonly LeaderChange[] {
    return this.#changes;
  }

  #add(now: LeaderView | null, term: number): void {
    const change = { at: Date.now(), nodeId: now?.nodeId ?? null, term };
    this.#changes = [change, ...this.#changes].slice(0, keptChanges);
  }
}
