import { resumingEvents } from '../target/event-source.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { table } from '../terminal/table.ts';
import { asJson, type Terminal } from '../terminal/terminal.ts';
import type { Begin } from './command.ts';
import {
  type LedgerServer,
  onLedger,
  part,
  type ToldAudit,
  type ToldTransfer,
  type ToldWallet,
  transferText,
} from './ledger-server.ts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

const pageSize = 1_000;

/** All items of a list, page by page, or the first `limit`. */
async function itemsOf<Item>({ ask }: LedgerServer, path: string, limit: number): Promise<Item[]> {
  const found: Item[] = [];
  for (let after: string | null = '0'; after !== null && (limit === 0 || found.length < limit); ) {
    const size = limit === 0 ? pageSize : Math.min(pageSize, limit - found.length);
    const page: Page<Item> = await ask({ path: `${path}after=${after}&limit=${size}` });
    found.push(...page.items);
    after = page.next;
  }
  return found;
}

/** The options of `ledger wallets`. */
export interface WalletsFlags {
  readonly owner?: string;
  readonly tag?: readonly string[];
  readonly any?: boolean;
  readonly words?: string;
  readonly limit: number;
}

/** Lists wallets. */
export async function listWallets(
  begin: Begin,
  { owner, tag = [], any = false, words, limit }: WalletsFlags,
): Promise<void> {
  await onLedger(begin(), async (server) => {
    const query = new URLSearchParams(tag.map((each): [string, string] => ['tag', each]));
    if (owner !== undefined) query.set('owner', owner);
    if (words !== undefined) query.set('words', words);
    query.set('match', any ? 'any' : 'all');
    const wallets = await itemsOf<ToldWallet>(server, `/wallets?${query}&`, limit);
    const { terminal } = server;
    if (terminal.json) for (const wallet of wallets) await terminal.line(asJson(wallet));
    else await terminal.line(wallets.length === 0 ? 'no wallets' : walletTable(wallets));
  });
}

function walletTable(wallets: readonly ToldWallet[]): string {
  const rows = wallets.map(({ id, owner, balance, available, currency, tags, closed }) => [
    ...[id, owner, balance, available, currency, tags.join(', '), closed ? 'closed' : ''],
  ]);
  return table(['wallet', 'owner', 'balance', 'available', 'currency', 'tags', ''], rows);
}

/** Lists the transfers of a wallet. */
export async function listTransfers(begin: Begin, wallet: string, { limit }: { limit: number }): Promise<void> {
  await onLedger(begin(), async (server) => {
    const transfers = await itemsOf<ToldTransfer>(server, `/wallets/${part(wallet)}/transfers?`, limit);
    const { terminal } = server;
    for (const transfer of transfers)
      await terminal.line(terminal.json ? asJson(transfer) : transferText(transfer, terminal.style));
  });
}

/** Audits the ledger. @throws `Failure` if it has faults */
export async function auditLedger(begin: Begin): Promise<void> {
  await onLedger(begin(), async ({ ask, terminal }) => {
    const report = await ask<ToldAudit>({ path: '/audit' });
    await terminal.answer(report, (style) => auditText(report, style));
    if (!report.ok) throw new Failure(exitCodes.failed, `the audit found ${report.faults.length} faults`);
  });
}

function auditText({ ok, faults, records, wallets, seq, digest, tookMs }: ToldAudit, style: Terminal['style']): string {
  const head = ok ? style('green', 'right') : style('red', 'wrong');
  const lines = faults.map(({ kind, message }) => `${kind}: ${message}`);
  const what = `${records} records of ${wallets} wallets, up to ${seq} ${digest}, in ${tookMs} ms`;
  return [`${head}: ${what}`, ...lines].join('\n');
}

interface ToldRecord {
  readonly kind: 'wallet' | 'tags' | 'close' | 'transfer' | 'lagged';
  readonly cursor: string;
  readonly wallet?: { readonly id: string };
  readonly walletId?: string;
  readonly transfer?: ToldTransfer;
}

/** Prints records as they are made. It begins at a number, so that it can resume there after a connection that is lost before the first one. */
export async function watchLedger(begin: Begin, { after }: { after?: number }): Promise<void> {
  await onLedger(begin(), async ({ ask, client, terminal }) => {
    const { signal } = terminal;
    const onLost = (reason: string): void => terminal.note(`${reason}; connecting again`);
    try {
      const { seq } = after === undefined ? await ask<{ readonly seq: number }>({ path: '' }) : { seq: after };
      const stream = { client, path: '/ledger/events', after: String(seq), signal, onLost };
      for await (const record of resumingEvents<ToldRecord>(stream))
        await terminal.line(terminal.json ? asJson(record) : recordText(record, terminal.style));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

const words = { wallet: 'created', tags: 'tagged', close: 'closed', transfer: 'moved', lagged: 'lost' } as const;

function recordText(record: ToldRecord, style: Terminal['style']): string {
  if (record.transfer !== undefined) return transferText(record.transfer, style);
  if (record.kind === 'lagged') return style('yellow', 'records were lost to this reader');
  return `wallet ${record.wallet?.id ?? record.walletId}  ${style('bold', words[record.kind])}`;
}
