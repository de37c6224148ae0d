import { type Argument, type Connection, isMempoolError, tryCommands } from 'mempool-redis/backend';
import { isWrongType, ledgerError } from './errors.ts';
import { ledgerKeys, type Reply, scripts, type Verb } from './scripts.ts';

/** Runs the scripts of one ledger, with errors of a ledger. It repeats a call until it is answered or its time is over. */
export class Calls {
  readonly #connection: Connection;
  readonly #base: string;
  readonly #keys: readonly string[];

  constructor(connection: Connection, base: string) {
    this.#connection = connection;
    this.#base = base;
    this.#keys = ledgerKeys(base);
  }

  async run<V extends Verb>(
    verb: V,
    args: readonly Argument[],
    keys: readonly string[] = this.#keys,
  ): Promise<Reply<V>> {
    try {
      return await this.#connection.execute<Reply<V>>(scripts[verb], keys, args);
    } catch (error) {
      // The server names neither the key nor the command: these calls find them, and fail with their names.
      if (isWrongType(error)) await this.run('open', ['', '']);
      if (verb !== 'probe' && isMempoolError(error, 'ERR_MEMPOOL_PERMISSION')) await this.probe();
      throw ledgerError(error, verb);
    }
  }

  /** Tries every command of the scripts. @throws `ERR_LEDGER_REFUSED` naming a command that the server refuses */
  async probe(): Promise<void> {
    await tryCommands(() => this.run('probe', [], [`${this.#base}:probe`])).catch((error: unknown) => {
      throw ledgerError(error, 'probe');
    });
  }

  async probeWait(): Promise<void> {
    await this.#connection.probeWait().catch((error: unknown) => {
      throw ledgerError(error, 'WAIT');
    });
  }

  close(): void {
    this.#connection.close();
  }
}
