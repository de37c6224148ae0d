import { checkFunction, checkNames, checkObject } from './arguments.ts';
import type { Election } from './contract/election.ts';
import { type ElectionOptions, optionNames } from './contract/options.ts';
import type { ElectionProvider } from './contract/provider.ts';
import { settingsOf } from './node/settings.ts';
import { checkNode } from './node-version.ts';
import { Participant } from './participant.ts';

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
  checkProvider(provider);
  checkObject('options', options);
  if (provider.options !== undefined)
    checkNames(options, new Set([...Object.keys(optionNames), ...Object.keys(provider.options)]));
  const { name, ttlMs, commandTimeoutMs, clock, log, ...settings } = settingsOf(options);
  const agreed = { name, ttlMs, commandTimeoutMs, clock, log };
  return new Participant({ ...settings, ...agreed }, () => provider.open({ ...options, ...agreed }));
}

/** @throws `ERR_ELECTION_OPTION` naming `provider` or the member that is wrong */
export function checkProvider(provider: { readonly open: unknown }): void {
  checkObject('provider', provider);
  checkFunction('provider.open', provider.open);
}
