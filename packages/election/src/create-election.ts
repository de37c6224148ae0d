import type { Election } from './election.ts';
import { checkNode } from './node-version.ts';
import type { ElectionOptions } from './options.ts';
import { Participant } from './participant.ts';
import type { ElectionProvider } from './provider.ts';
import { settingsOf } from './settings.ts';

/**
 * One node's part in one election on the provider's store. Nothing is opened before `start`.
 *
 * @throws `ERR_ELECTION_OPTION` naming the field, `ERR_ELECTION_REFUSED` before Node 22
 */
export function createElection<Own extends object>(
  provider: ElectionProvider<Own>,
  options: ElectionOptions & Own,
): Election {
  checkNode();
  const { name, ttlMs, commandTimeoutMs, clock, log, ...settings } = settingsOf(options);
  const agreed = { name, ttlMs, commandTimeoutMs, clock, log };
  return new Participant({ ...settings, ...agreed }, () => provider.open({ ...options, ...agreed }));
}
