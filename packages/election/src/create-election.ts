import { checkFunction, checkNames, checkObject } from './arguments.ts';
import type { Election } from './contract/election.ts';
import { type ElectionOptions, optionNames } from './contract/options.ts';
import type { ElectionProvider } from './contract/provider.ts';
import { settingsOf } from './node/settings.ts';
import { NodeElection } from './node-election.ts';
import { checkNode } from './node-version.ts';

/**
 * Creates an election for one node, on the provider's store. It opens nothing before `start`.
 *
 * ```ts
 * const election = createElection(redisElection, { url: 'redis://localhost', nodeId: 'a' });
 * election.on('acquired', ({ term }) => console.log(`leader of term ${term}`));
 * await election.start();
 * ```
 *
 * @throws `ERR_ELECTION_OPTION` naming the field; `ERR_ELECTION_REFUSED` on a Node before 22
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
  const storeOptions = { name, ttlMs, commandTimeoutMs, clock, log };
  return new NodeElection({ ...settings, ...storeOptions }, () => provider.open({ ...options, ...storeOptions }));
}

/** Checks a provider. @throws `ERR_ELECTION_OPTION` naming `provider` or its wrong member */
export function checkProvider(provider: { readonly open: unknown }): void {
  checkObject('provider', provider);
  checkFunction('provider.open', provider.open);
}
