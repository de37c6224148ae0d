import type { Script } from '../connection/lua-script.ts';
import { script } from '../connection/script.ts';

/** A lease in the answers of the scripts: node id, token, term, seq, hbSeq, address or '', priority, ms left or -1. */
export type LeaseRow = readonly [...fields: [string, string, string, string, string, string, string], left: number];
type Renewed = ['renewed', LeaseRow] | ['lost', LeaseRow | null, term: string];
type MemberRow = readonly [nodeId: string, ageMs: string, heartbeat: string | null];

/** The answers of the scripts, described in the head of each file. */
interface Replies {
  campaign: ['won', LeaseRow, LeaseRow | null] | ['held', LeaseRow, term: string] | ['forgotten', term: string];
  renew: Renewed;
  reinstate: Renewed;
  release: number;
  observe: [LeaseRow | null, term: string];
  heartbeat: MemberRow[];
  members: MemberRow[];
  probe: 'OK' | [command: string, words: string];
}
export type Verb = keyof Replies;
export type Reply<V extends Verb> = Replies[V];

const named = (...parts: readonly string[]): Script => script(true, ...parts.map((part) => `election/${part}`));

/** Each verb is one script. */
export const scripts: { readonly [V in Verb]: Script } = {
  campaign: named('state', 'hold', 'campaign'),
  renew: named('state', 'hold', 'renew'),
  reinstate: named('state', 'hold', 'reinstate'),
  release: named('state', 'release'),
  observe: named('state', 'observe'),
  heartbeat: named('state', 'hold', 'heartbeat', 'members'),
  members: named('state', 'members'),
  probe: named('probe'),
};
