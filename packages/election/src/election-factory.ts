import { checkObject } from './arguments.ts';
import type { Election } from './contract/election.ts';
import { badOption, ElectionError } from './contract/errors.ts';
import type { ElectionOptions } from './contract/options.ts';
import type { ElectionProvider } from './contract/provider.ts';
import { checkProvider, createElection } from './create-election.ts';

/** The options in a configuration file: those of every election, the provider's `type`, and the provider's own. */
export interface ConfiguredOptions extends ElectionOptions {
  /** The backend of the election: `sqlite` or `redis`. */
  readonly type: string;
  readonly [own: string]: unknown;
}

/** Creates elections by the `type` of their provider, for example from a configuration file. */
export class ElectionFactory {
  readonly #providers = new Map<string, ElectionProvider>();

  /** Adds a provider under its `type`. @throws `ERR_ELECTION_OPTION` if the type is registered already */
  register<Own extends object>(provider: ElectionProvider<Own>): this {
    checkProvider(provider);
    if (this.#providers.has(provider.type)) throw badOption('type', 'registered once');
    this.#providers.set(provider.type, provider);
    return this;
  }

  /**
   * Creates an election as `createElection` does, with the provider of `given.type`.
   *
   * @throws `ERR_ELECTION_UNKNOWN_TYPE` listing the registered types; `ERR_ELECTION_OPTION` naming the field
   */
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
