import { checkObject } from './arguments.ts';
import type { Election } from './contract/election.ts';
import { badOption, ElectionError } from './contract/errors.ts';
import type { ElectionOptions } from './contract/options.ts';
import type { ElectionProvider } from './contract/provider.ts';
import { checkProvider, createElection } from './create-election.ts';

/** Options as a configuration has them: those of every election, the type of the provider, and that provider's own. */
export interface ConfiguredOptions extends ElectionOptions {
  readonly type: string;
  readonly [own: string]: unknown;
}

/** Makes elections by the name of their backend. */
export class ElectionFactory {
  readonly #providers = new Map<string, ElectionProvider>();

  /** @throws `ERR_ELECTION_OPTION` where the type is taken */
  register<Own extends object>(provider: ElectionProvider<Own>): this {
    checkProvider(provider);
    if (this.#providers.has(provider.type)) throw badOption('type', 'registered once');
    this.#providers.set(provider.type, provider);
    return this;
  }

  /** @throws `ERR_ELECTION_UNKNOWN_TYPE` listing what is known, `ERR_ELECTION_OPTION` */
  create(given: ConfiguredOptions): Election {
    checkObject('options', given);
    const { type, ...options } = given;
    const provider = this.#providers.get(type);
    if (provider !== undefined) return createElection(provider, options);
    const known = [...this.#providers.keys()].join(', ') || 'none';
    throw new ElectionError(
      'ERR_ELECTION_UNKNOWN_TYPE',
      `no election of type ${String(type).slice(0, 100)}; known: ${known}`,
      {
        field: 'type',
      },
    );
  }
}
