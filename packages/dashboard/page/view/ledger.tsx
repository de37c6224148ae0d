import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { formatCount, formatMoney } from '../format/numbers.ts';
import { formatClock, formatDate, formatDuration } from '../format/times.ts';
import { foreignText } from '../format/words.ts';
import type { Found, LedgerView } from '../state/ledger.ts';
import type { LedgerRecord, WireWallet } from '../wire/answers.ts';
import { Table } from './table.tsx';
import { useDashboard, useField } from './use-dashboard.ts';

/** The ledger of the server: totals, the last records, a search for wallets, and an audit. Nothing where there is none to read. */
export function Ledger(): VNode | null {
  const ledger = useField('ledger');
  if (ledger.facts === null) return null;
  const { currency, decimals, issued, seq } = ledger.facts;
  return (
    <section class="part ledger" aria-labelledby="ledger">
      <div class="part-head">
        <h2 id="ledger">Ledger</h2>
        <p class="about">
          <span data-field="ledger.issued">{formatMoney(issued, decimals)}</span> {foreignText(currency)} in circulation
          {decimals === 0 ? ', in minor units' : ''} · <span data-field="ledger.seq">{formatCount(seq)}</span> records
        </p>
        <Audit ledger={ledger} />
      </div>
      <div class="columns">
        <Records records={ledger.records} decimals={decimals} />
        <Wallets ledger={ledger} decimals={decimals} />
      </div>
    </section>
  );
}

function Audit({ ledger: { audit, fault } }: { readonly ledger: LedgerView }): VNode {
  const { ledger } = useDashboard();
  return (
    <div class="audit">
      <button type="button" disabled={audit === 'running'} onClick={() => void ledger.audit()}>
        Audit
      </button>
      <p role="status" class={fault !== null || isFaulty(audit) ? 'wrong' : 'about'}>
        {fault ?? auditText(audit)}
      </p>
    </div>
  );
}

function isFaulty(audit: LedgerView['audit']): boolean {
  return audit !== null && audit !== 'running' && !audit.ok;
}

function auditText(audit: LedgerView['audit']): string {
  if (audit === null) return '';
  if (audit === 'running') return 'Recomputing every counter …';
  const { ok, faults, records, wallets, at, tookMs } = audit;
  const read = `${formatCount(records)} records and ${formatCount(wallets)} wallets`;
  if (ok) return `Right: ${read}, at ${formatClock(at)} in ${formatDuration(tookMs)}`;
  return `Wrong, of ${read}: ${faults.map(({ message }) => foreignText(message)).join('; ')}`;
}

function Records({
  records,
  decimals,
}: {
  readonly records: readonly LedgerRecord[];
  readonly decimals: number;
}): VNode {
  return (
    <div class="table-box">
      <Table kind="records" caption="Last records" columns={['Time', 'Record', 'From', 'To', 'Amount']}>
        {records.map((record) => (
          <Line key={record.cursor} record={record} decimals={decimals} />
        ))}
      </Table>
    </div>
  );
}

function Line({
  record: { kind, at, transfer, wallet },
  decimals,
}: {
  readonly record: LedgerRecord;
  readonly decimals: number;
}): VNode {
  const isRefused = transfer !== undefined && transfer.outcome !== 'created';
  return (
    <tr class={isRefused ? 'refused' : ''}>
      <td title={at === undefined ? undefined : formatDate(at)}>{at === undefined ? '' : formatClock(at)}</td>
      <td>
        {transfer === undefined ? kind : `${transfer.kind}${isRefused ? `: ${transfer.outcome}` : ''}`}
        {wallet !== undefined && (
          <span class="node-id">
            {' '}
            {foreignText(wallet.id)} of {foreignText(wallet.owner)}
          </span>
        )}
      </td>
      <td class="node-id">{foreignText(transfer?.source ?? '')}</td>
      <td class="node-id">{foreignText(transfer?.destination ?? '')}</td>
      <td class="amount">{transfer === undefined ? '' : formatMoney(transfer.amount, decimals)}</td>
    </tr>
  );
}

function Wallets({ ledger: { found }, decimals }: { readonly ledger: LedgerView; readonly decimals: number }): VNode {
  const { ledger } = useDashboard();
  const input = useRef<HTMLInputElement>(null);
  const search = (event: Event): void => {
    event.preventDefault();
    const text = input.current?.value.trim() ?? '';
    if (text !== '') void ledger.search(text);
  };
  return (
    <div>
      <form class="find" onSubmit={search}>
        <label for="wallet">Wallets by words of id, owner or tags</label>
        <input id="wallet" ref={input} type="search" autocomplete="off" autocapitalize="off" spellcheck={false} />
        <button type="submit">Find</button>
      </form>
      {found !== null && <FoundWallets found={found} decimals={decimals} />}
    </div>
  );
}

function FoundWallets({
  found: { text, wallets },
  decimals,
}: {
  readonly found: Found;
  readonly decimals: number;
}): VNode {
  return (
    <div class="table-box" role="status">
      {wallets.length === 0 ? (
        <p class="empty">No wallet has the words {foreignText(text)}.</p>
      ) : (
        <Table columns={['Wallet', 'Owner', 'Balance', 'Available']}>
          {wallets.map((wallet) => (
            <WalletLine key={wallet.id} wallet={wallet} decimals={decimals} />
          ))}
        </Table>
      )}
    </div>
  );
}

function WalletLine({
  wallet: { id, owner, balance, available, closed },
  decimals,
}: {
  readonly wallet: WireWallet;
  readonly decimals: number;
}): VNode {
  return (
    <tr>
      <th scope="row" class="node-id">
        {foreignText(id)}
        {closed && <span class="own"> closed</span>}
      </th>
      <td class="node-id">{foreignText(owner)}</td>
      <td class="amount">{formatMoney(balance, decimals)}</td>
      <td class="amount">{formatMoney(available, decimals)}</td>
    </tr>
  );
}
