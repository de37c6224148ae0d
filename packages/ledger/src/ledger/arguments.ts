import { contentText } from '../codec/content.ts';
import { badArgument } from '../contract/errors.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { WalletSpec } from '../contract/record.ts';
import type { MoveRequest, ResolveRequest, TransferRequest } from '../contract/request.ts';
import {
  checkMetadata,
  checkNames,
  checkTags,
  checkText,
  checkWhole,
  isAmount,
  isSystemId,
  isTransferId,
  isWalletId,
} from './check.ts';
import { signerOf, verifiedSigner } from './signature.ts';
import type {
  CreateWalletOptions,
  MoveOptions,
  PostOptions,
  ReserveOptions,
  TransferCall,
  VoidOptions,
} from './verbs.ts';

/** The settings of a ledger that the checks need. */
export interface CheckContext {
  readonly ledger: string;
  readonly retentionMs: number | null;
  /** The coupling that calls. The ids that it makes begin with `~`, its name and a dot. */
  readonly coupling?: string;
}

const common = { id: true, description: true, metadata: true } as const;
const move = { ...common, source: true, destination: true, amount: true, currency: true, signature: true } as const;
const names = {
  transfer: { ...move, kind: true },
  reserve: { ...move, kind: true, timeoutMs: true, arbiter: true, payerMayVoid: true },
  post: { ...common, kind: true, pendingId: true, amount: true },
  void: { ...common, kind: true, pendingId: true },
} as const;

const walletNames = { id: true, owner: true, tags: true, currency: true, overdraft: true, signer: true } as const;

/** A longer time than any reservation needs: a hundred years, in milliseconds. */
const maxTimeoutMs = 100 * 365 * 86_400_000;

/** Returns the request, or the outcome for a malformed id or amount. @throws `ERR_LEDGER_ARGUMENT` naming any other wrong field */
export function checkCall(call: TransferCall, context: CheckContext): TransferRequest | TransferOutcome {
  const known = Object.hasOwn(names, call?.kind) ? names[call.kind] : null;
  if (known === null) throw badArgument('kind', `one of ${Object.keys(names).join(', ')}`);
  checkNames(call, known);
  if (call.kind === 'post' || call.kind === 'void') return checkResolve(call, context);
  return checkMove(call, context);
}

type Kinded<Kind, Options> = Options & { readonly kind: Kind };

function checkMove(
  call: Kinded<'transfer', MoveOptions> | Kinded<'reserve', ReserveOptions>,
  context: CheckContext,
): MoveRequest | TransferOutcome {
  const { kind, id, source, destination, amount } = call;
  if (!isOwnId(id, context) || id.length > ledgerLimits.maxTransferIdLength) return 'invalid_id';
  if (!isWalletId(source) || !isWalletId(destination)) return 'invalid_id';
  if (!isAmount(amount)) return 'invalid_amount';
  const currency = checkText('currency', call.currency, 1, ledgerLimits.maxCurrencyLength);
  const timeoutMs = call.kind === 'reserve' ? checkTimeout(call.timeoutMs) : null;
  const issuedAt = context.coupling === undefined ? timeOfUuid(id) : null;
  if (issuedAt === undefined && context.retentionMs !== null) return 'invalid_id';
  const texts = checkTexts(call);
  const said = { ...texts, ...checkEnding(call.kind === 'reserve' ? call : {}), pendingId: null, timeoutMs };
  const content = contentText({ kind, source, destination, amount, currency, ...said });
  const signed = { ledger: context.ledger, id: signedId(id, context), source, destination, amount, currency };
  const signedBy = verifiedSigner(call.signature, signed);
  return {
    kind,
    id,
    content,
    issuedAt: issuedAt ?? null,
    source,
    destination,
    amount,
    currency,
    timeoutMs,
    signedBy,
  };
}

function checkResolve(
  call: Kinded<'post', PostOptions> | Kinded<'void', VoidOptions>,
  context: CheckContext,
): ResolveRequest | TransferOutcome {
  const { kind, id, pendingId } = call;
  if (!isOwnId(id, context)) return 'invalid_id';
  const { maxTransferIdLength } = ledgerLimits;
  if (typeof pendingId !== 'string' || pendingId === '' || pendingId.length > maxTransferIdLength) return 'invalid_id';
  const given = call.kind === 'post' ? call.amount : undefined;
  if (given !== undefined && !isAmount(given)) return 'invalid_amount';
  const amount = given ?? null;
  const nothing = { source: '', destination: '', currency: '', timeoutMs: null, ...checkEnding({}) };
  const content = contentText({ kind, ...nothing, amount, ...checkTexts(call), pendingId });
  return { kind, id, content, issuedAt: null, pendingId, amount };
}

/** Returns the id that a signature covers. In that of a coupling the text after the colon is random, so the payer cannot know it. */
function signedId(id: string, { coupling }: CheckContext): string {
  return coupling === undefined ? id : id.slice(1, id.lastIndexOf(':'));
}

/** True for an id that the caller may make. */
function isOwnId(id: unknown, { coupling }: CheckContext): id is string {
  if (coupling === undefined) return isTransferId(id);
  return typeof id === 'string' && id.startsWith(`~${coupling}.`) && isTransferId(id.slice(1));
}

function checkTexts({ description = '', metadata }: Pick<MoveOptions, 'description' | 'metadata'>) {
  checkText('description', description, 0, ledgerLimits.maxDescriptionLength);
  return { description, metadata: checkMetadata(metadata) };
}

function checkTimeout(given: number | 'never' | undefined): number | null {
  return given === undefined || given === 'never' ? null : checkWhole('timeoutMs', given, 1, maxTimeoutMs);
}

function checkEnding({ arbiter, payerMayVoid = false }: Pick<ReserveOptions, 'arbiter' | 'payerMayVoid'>) {
  if (typeof payerMayVoid !== 'boolean') throw badArgument('payerMayVoid', 'true or false');
  const owner = arbiter === undefined ? null : checkText('arbiter', arbiter, 1, ledgerLimits.maxOwnerLength);
  return { arbiter: owner, payerMayVoid };
}

const uuid7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The milliseconds since 1970 in a UUIDv7 (RFC 9562, 5.7), in lower case; `undefined` for another text. */
function timeOfUuid(id: string): number | undefined {
  const [, high, low] = uuid7.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** Returns the wallet, or `null` for a malformed id. @throws `ERR_LEDGER_ARGUMENT` naming any other wrong field */
export function checkWallet(options: CreateWalletOptions): WalletSpec | null {
  checkNames(options, walletNames);
  const { id, owner, tags = [], currency, overdraft = false, signer = null } = options;
  if (!isWalletId(id) || isSystemId(id)) return null;
  if (typeof overdraft !== 'boolean') throw badArgument('overdraft', 'true or false');
  return {
    id,
    owner: checkText('owner', owner, 1, ledgerLimits.maxOwnerLength),
    tags: checkTags(tags),
    currency: checkText('currency', currency, 1, ledgerLimits.maxCurrencyLength),
    overdraft,
    signer: signer === null ? null : signerOf(signer),
  };
}
