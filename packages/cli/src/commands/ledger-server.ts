import type { AuditReport, Transfer, Wallet } from 'mempool-ledger';
import type { ApiRequest, HttpClient } from '../target/http-client.ts';
import { openClient } from '../target/open-target.ts';
import type { Told } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Session } from './command.ts';

/** A wallet in a server's answer. */
export type ToldWallet = Told<Wallet> & { readonly balance: string; readonly available: string };
/** A recorded call in a server's answer. */
export type ToldTransfer = Told<Transfer>;
/** The report of an audit in a server's answer. */
export type ToldAudit = AuditReport & { readonly tookMs: number };

/** The ledger of a server, for a command. */
export interface LedgerServer {
  readonly client: HttpClient;
  readonly terminal: Terminal;
  /** Sends a request to a path of the ledger and returns its answer. */
  ask<T extends object>(request: Omit<ApiRequest, 'signal'>): Promise<T>;
}

/** Runs the work on the ledger of the server that the options name. @throws `Failure` if they name none */
export async function onLedger(
  { place, terminal }: Session,
  work: (server: LedgerServer) => Promise<void>,
): Promise<void> {
  const client = await openClient(place, terminal);
  if (client === null) throw new Failure(exitCodes.usage, 'this command works on the ledger of a server: give --url');
  const { signal } = terminal;
  await work({
    client,
    terminal,
    ask: (request) => client.json({ ...request, path: `/ledger${request.path}`, signal }),
  });
}

/** Encodes an id as a part of a path. @throws `Failure` for an id that a path cannot have */
export function part(id: string): string {
  if (id === '' || id === '.' || id === '..')
    throw new Failure(exitCodes.usage, `there is nothing with the id '${id}': a URL cannot have it`);
  if (!id.isWellFormed()) throw new Failure(exitCodes.usage, 'the id is not valid Unicode');
  return encodeURIComponent(id);
}

/** Returns one recorded call as one line of text. */
export function transferText(transfer: ToldTransfer, style: Terminal['style']): string {
  const { id, kind, outcome, state, source, destination, amount, currency, pendingId, at } = transfer;
  const when = style('dim', new Date(at).toISOString());
  const what = `${source} → ${destination}${pendingId === null ? '' : ` of ${pendingId}`}`;
  const end = outcome === 'created' ? style(state === 'pending' ? 'yellow' : 'green', state) : style('red', outcome);
  return `${when}  ${kind}  ${id}  ${what}  ${style('bold', amount)} ${currency}  ${end}`;
}
