import { type Command, InvalidArgumentError } from 'commander';
import { ledgerLimits, newTransferId } from 'mempool-ledger';
import { pairs } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Begin, duration, limit, several, wholeNumber } from './command.ts';
import { auditLedger, listTransfers, listWallets, type WalletsFlags, watchLedger } from './ledger-lists.ts';
import {
  type LedgerServer,
  onLedger,
  part,
  type ToldTransfer,
  type ToldWallet,
  transferText,
} from './ledger-server.ts';

/** Adds `ledger`, which works on the ledger of a server. */
export function addLedger(program: Command, begin: Begin): void {
  const ledger = program.command('ledger').description('wallets and transfers of the ledger of a server');
  addWallets(ledger, begin);
  addWalletChanges(ledger, begin);
  addMoves(ledger, begin);
  addResolutions(ledger, begin);
  ledger
    .command('transfers')
    .description('list what left or entered a wallet, or was reserved in it, oldest first')
    .argument('<wallet>', 'its id')
    .option(...limit)
    .action((wallet: string, options: { limit: number }) => listTransfers(begin, wallet, options));
  ledger
    .command('audit')
    .description('recompute every counter and the chain of digests from the history')
    .action(() => auditLedger(begin));
  ledger
    .command('watch')
    .description('print every record as it is made, until Ctrl-C')
    .option('--after <number>', 'begin after this record; 0: the oldest one kept', wholeNumber(0))
    .action((options: { after?: number }) => watchLedger(begin, options));
}

/** Whole minor units. */
function amountOf(text: string): string {
  if (/^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= ledgerLimits.maxAmount) return text;
  throw new InvalidArgumentError('It must be whole minor units, from 1 to 9223372036854775807.');
}

interface WalletFlags {
  readonly owner: string;
  readonly tag?: readonly string[];
  readonly currency?: string;
  readonly signer?: string;
  readonly overdraft?: boolean;
}

function addWallets(ledger: Command, begin: Begin): void {
  ledger
    .command('wallets')
    .description('list wallets in the order of their creation')
    .option('--owner <owner>', 'only those of this owner')
    .option('--tag <tag...>', 'only those with all of these tags', several(String))
    .option('--any', 'those with any of the tags')
    .option('--words <words>', 'only those with these words in id, owner or tags, in any case')
    .option(...limit)
    .action((options: WalletsFlags) => listWallets(begin, options));
  ledger
    .command('wallet')
    .description('show a wallet')
    .argument('<id>', 'its id')
    .action((id: string) => showWallet(begin, { path: `/wallets/${part(id)}` }));
}

function addWalletChanges(ledger: Command, begin: Begin): void {
  ledger
    .command('create')
    .description('create a wallet; repeating the command changes nothing')
    .argument('<id>', 'its id')
    .requiredOption('--owner <owner>', 'whose it is')
    .option('--tag <tag...>', 'tags to find it by', several(String))
    .option('--currency <currency>', 'default: that of the vault')
    .option('--signer <key>', 'the public key that has to sign what leaves it')
    .option('--overdraft', 'more may go out than came in: only for wallets of the system')
    .action((id: string, { tag: tags, ...spec }: WalletFlags) =>
      showWallet(begin, { method: 'POST', path: '/wallets', body: { id, tags, ...spec } }),
    );
  ledger
    .command('tag')
    .description('replace the tags of a wallet')
    .argument('<id>', 'its id')
    .argument('[tag...]', 'the tags; none: it has none')
    .action((id: string, tags: readonly string[]) =>
      showWallet(begin, { method: 'PATCH', path: `/wallets/${part(id)}/tags`, body: { tags } }),
    );
  ledger
    .command('close')
    .description('close a wallet that holds nothing; it cannot be opened again')
    .argument('<id>', 'its id')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes = false }: { yes?: boolean }) => {
      if (!yes) await begin().terminal.confirm(`close wallet ${id}`);
      await showWallet(begin, { method: 'POST', path: `/wallets/${part(id)}/close`, body: {} });
    });
}

/** Shows the wallet that the server answers with. */
async function showWallet(begin: Begin, request: Parameters<LedgerServer['ask']>[0]): Promise<void> {
  await onLedger(begin(), async ({ ask, terminal }) => {
    const wallet = await ask<ToldWallet>(request);
    await terminal.answer(wallet, (style) => walletText(wallet, style));
  });
}

function walletText(wallet: ToldWallet, style: Terminal['style']): string {
  const { id, owner, tags, currency, balance, available, debitsPending, creditsPending, signer, closed } = wallet;
  return pairs([
    ['wallet', style('bold', id)],
    ['owner', owner],
    ['tags', tags.join(', ') || '-'],
    ['balance', `${balance} ${currency}`],
    ['available', available],
    ['reserved', debitsPending],
    ['coming in', creditsPending],
    ['signer', signer ?? '-'],
    ['state', closed ? style('red', 'closed') : 'open'],
  ]);
}

interface CallFlags {
  readonly id?: string;
  readonly currency?: string;
  readonly description?: string;
  readonly timeout?: number;
}

const idOption = [
  '--id <id>',
  'repeating the command with the same id changes nothing more; default: a new UUIDv7',
] as const;

function addMoves(ledger: Command, begin: Begin): void {
  for (const kind of ['transfer', 'reserve'] as const) {
    const command = ledger
      .command(kind)
      .description(kind === 'transfer' ? 'move money' : 'hold money back until it is posted, voided or expired')
      .argument('<source>', 'the wallet that pays')
      .argument('<destination>', 'the wallet that gets it')
      .argument('<amount>', 'in whole minor units', amountOf)
      .option(...idOption)
      .option('--currency <currency>', 'default: that of the vault')
      .option('--description <text>', 'what it is for')
      .action((source: string, destination: string, amount: string, { timeout: timeoutMs, ...flags }: CallFlags) =>
        send(begin, '/transfers', { kind, source, destination, amount, timeoutMs, ...flags }),
      );
    if (kind === 'reserve') command.option('--timeout <time>', 'expire it after this time; default: never', duration);
  }
}

function addResolutions(ledger: Command, begin: Begin): void {
  ledger
    .command('post')
    .description('move what was reserved, or a part of it; the rest is released')
    .argument('<reservation>', 'its id')
    .argument('[amount]', 'in whole minor units; default: all', amountOf)
    .option(...idOption)
    .action((id: string, amount: string | undefined, flags: CallFlags) =>
      send(begin, `/transfers/${part(id)}/post`, { amount, ...flags }),
    );
  ledger
    .command('void')
    .description('release what was reserved')
    .argument('<reservation>', 'its id')
    .option(...idOption)
    .action((id: string, flags: CallFlags) => send(begin, `/transfers/${part(id)}/void`, flags));
}

/** Sends one call. A new id is told first: if the answer is lost, the command can be repeated with it. */
async function send<Call extends { readonly id?: string }>(begin: Begin, path: string, given: Call): Promise<void> {
  await onLedger(begin(), async ({ ask, terminal }) => {
    const id = given.id ?? newTransferId();
    if (given.id === undefined) terminal.note(`id ${id}`);
    const transfer = await ask<ToldTransfer>({ method: 'POST', path, body: { ...given, id } });
    await terminal.answer(transfer, (style) => transferText(transfer, style));
  });
}
