import { walletText } from '../codec/content.ts';
import type { WalletSpec } from '../contract/record.ts';
import type { CloseWalletAnswer, CreateWalletAnswer, SetTagsAnswer } from '../contract/store.ts';
import { balanceOf, noCounters, type Wallet } from '../contract/wallet.ts';
import type { StepBuilder } from './step-builder.ts';

/** The id of the wallet that all money comes from. */
export const vaultId = '~vault';

/** Returns a wallet of the system, which may go below zero. Its id begins with `~`. */
export function systemWallet(id: string, currency: string): WalletSpec {
  return { id, owner: 'system', tags: [], currency, overdraft: true, signer: null };
}

/** Creates a wallet. To create the same wallet again changes nothing. */
export function createWallet(step: StepBuilder, spec: WalletSpec): CreateWalletAnswer {
  const known = step.wallet(spec.id);
  const content = walletText(spec);
  if (known !== null) {
    const same = step.walletContent(spec.id) === content;
    return { outcome: same ? 'created' : 'wallet_exists', wallet: known, replayed: same };
  }
  const { seq, at } = step.append({ type: 'wallet', id: spec.id, content, result: '' });
  const moments = { createdAt: at, createdSeq: seq, version: seq };
  const wallet = step.putWallet({ ...spec, ...noCounters, ...moments, closed: false });
  return { outcome: 'created', wallet, replayed: false };
}

/** Replaces the tags of a wallet. If they do not change, it makes no record. */
export function setTags(step: StepBuilder, id: string, tags: readonly string[]): SetTagsAnswer {
  const wallet = step.wallet(id);
  if (wallet === null) return { outcome: 'wallet_not_found', wallet };
  if (wallet.closed) return { outcome: 'wallet_closed', wallet };
  const content = JSON.stringify(tags);
  if (JSON.stringify(wallet.tags) === content) return { outcome: 'set', wallet };
  step.append({ type: 'tags', id, content, result: '' });
  return { outcome: 'set', wallet: step.putWallet({ ...wallet, tags }) };
}

/** Closes a wallet whose balance and reserved amount are 0. Reservations to it may still be posted. */
export function closeWallet(step: StepBuilder, id: string): CloseWalletAnswer {
  const wallet = step.wallet(id);
  if (wallet === null) return { outcome: 'wallet_not_found', wallet };
  if (wallet.closed) return { outcome: 'closed', wallet };
  if (!isEmpty(wallet)) return { outcome: 'wallet_not_empty', wallet };
  step.append({ type: 'close', id, content: '', result: '' });
  return { outcome: 'closed', wallet: step.putWallet({ ...wallet, closed: true }) };
}

function isEmpty(wallet: Wallet): boolean {
  return balanceOf(wallet) === 0n && wallet.debitsPending === 0n;
}
