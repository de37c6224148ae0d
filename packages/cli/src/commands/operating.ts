import { type Command, InvalidArgumentError } from 'commander';
import {
  type ChainPoint,
  type DropReason,
  isMempoolError,
  type Limits,
  limitNames,
  type RollbackTarget,
} from 'mempool-core';
import { configFields, hint } from 'mempool-core/backend';
import { type ChangeVerb, doneWords, type Target, type Told } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { pairs } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Begin, dropReason, duration, onTarget, operationId, several, transactionHash } from './command.ts';

interface ChangeFlags {
  readonly yes?: boolean;
  readonly operationId?: string;
}

const yes = ['--yes', 'do not ask'] as const;

/** Adds `drop`, `complete`, `release`, `rollback`, `limits`. */
export function addOperating(program: Command, begin: Begin): void {
  program
    .command('drop')
    .description('drop transactions that are in no block')
    .argument('<hash...>', 'their hashes', several(transactionHash))
    .option('--reason <text>', 'why: a word of the pool, such as invalid, or any text', dropReason, { app: 'operator' })
    .option(...yes)
    .option(...operationId)
    .action((hashes: readonly string[], { reason, ...flags }: ChangeFlags & { reason: DropReason }) =>
      change(begin, 'drop', hashes, flags, (target, options) => target.drop(hashes, reason, options)),
    );
  program
    .command('complete')
    .description('end transactions in flight as Finalized, without a block')
    .argument('<hash...>', 'their hashes', several(transactionHash))
    .option(...yes)
    .option(...operationId)
    .action((hashes: readonly string[], flags: ChangeFlags) =>
      change(begin, 'complete', hashes, flags, (target, options) => target.complete(hashes, options)),
    );
  program
    .command('release')
    .description('move transactions in flight back to Pending, to be sent again')
    .argument('<hash...>', 'their hashes', several(transactionHash))
    .option('--hold <duration>', 'hand them out again only after this time', duration)
    .option(...yes)
    .option(...operationId)
    .action((hashes: readonly string[], { hold, ...flags }: ChangeFlags & { hold?: number }) =>
      change(begin, 'release', hashes, flags, (target, options) => {
        const notBeforeMs = hold === undefined ? undefined : Date.now() + hold;
        return target.release(hashes, { ...options, notBeforeMs });
      }),
    );
  program
    .command('rollback')
    .description('undo the last blocks')
    .requiredOption('--to <slot:hash>', 'the block that becomes the last one; origin: undo all', rollbackTarget)
    .option(...yes)
    .option(...operationId)
    .action((options: ChangeFlags & { to: RollbackTarget }) => rollback(begin, options));
  addLimits(program, begin);
}

function addLimits(program: Command, begin: Begin): void {
  const limits = program.command('limits').description('show or set the limits of the pool, for all its nodes');
  limits
    .command('get')
    .description('show all limits')
    .action(() => showLimits(begin, (target, signal) => target.limits({ signal })));
  limits
    .command('set')
    .description('set limits; they last until a process opens the pool with other ones')
    .argument('<name=value...>', 'such as max_txs=5000 or max_bytes=unlimited', limitsOf)
    .action((given: Partial<Limits>) => showLimits(begin, (target, signal) => target.setLimits(given, { signal })));
}

type ChangeCall = (
  target: Target,
  options: { readonly signal: AbortSignal; readonly operationId: string | undefined },
) => Promise<readonly string[]>;

async function change(
  begin: Begin,
  verb: ChangeVerb,
  hashes: readonly string[],
  { yes = false, operationId }: ChangeFlags,
  call: ChangeCall,
): Promise<void> {
  const session = begin();
  const what = hashes.length === 1 ? `transaction ${hashes[0]}` : `${hashes.length} transactions`;
  if (!yes) await session.terminal.confirm(`${verb} ${what}`);
  await onTarget(session, async (target, terminal) => {
    const { signal } = terminal;
    const changed = await call(target, { signal, operationId });
    const done = doneWords[verb];
    await terminal.answer({ [done]: changed }, () => changed.map((hash) => `${hash}  ${done}`).join('\n'));
    await explain(target, terminal, { done, skipped: hashes.filter((hash) => !changed.includes(hash)) });
  });
}

/** Says why transactions were passed over. */
async function explain(
  target: Target,
  { signal }: Terminal,
  { done, skipped }: { readonly done: string; readonly skipped: readonly string[] },
): Promise<void> {
  const stages: string[] = [];
  for (const hash of skipped) stages.push((await target.status(hash, { signal })).stage);
  if (stages.length === 0) return;
  const list = skipped.slice(0, 10).map((hash, i) => `${hash} is ${stages[i]}`);
  const code = stages.every((stage) => stage === 'Unknown') ? exitCodes.notFound : exitCodes.refused;
  throw new Failure(code, `not ${done}: ${list.join(', ')}${skipped.length > 10 ? ', …' : ''}`);
}

function rollbackTarget(text: string): RollbackTarget {
  if (text === 'origin') return text;
  const [, slot, hash] = /^(\d{1,16}):([0-9a-f]{64})$/.exec(text) ?? [];
  const point: ChainPoint = { slot: Number(slot), hash: hash ?? '' };
  if (!Number.isSafeInteger(point.slot))
    throw new InvalidArgumentError('It must be <slot>:<64 hex digits>, or origin.');
  return point;
}

async function rollback(
  begin: Begin,
  { to, yes = false, operationId }: ChangeFlags & { to: RollbackTarget },
): Promise<void> {
  const session = begin();
  const where = to === 'origin' ? 'the beginning' : `${to.slot}:${to.hash}`;
  if (!yes) await session.terminal.confirm(`undo all blocks after ${where}`);
  await onTarget(session, async (target, terminal) => {
    const { signal } = terminal;
    const outcome = await target.rollback(to, { signal, operationId });
    await terminal.answer(outcome, () =>
      outcome.kind === 'rolled-back'
        ? `undone: ${outcome.undone} blocks, ${outcome.returned} transactions are Pending again`
        : outcome.kind,
    );
    if (outcome.kind === 'unknown-point') {
      const oldest =
        outcome.oldest === null ? 'it keeps none' : `the oldest is ${outcome.oldest.slot}:${outcome.oldest.hash}`;
      throw new Failure(exitCodes.notFound, `the pool keeps no block ${where}: ${oldest}`);
    }
    if (outcome.kind === 'fenced') {
      const reason = 'a node leads and applies the blocks, so nobody else may: stop it first';
      throw new Failure(exitCodes.refused, reason);
    }
  });
}

/** One `name=value`; commander calls it once per value. */
function limitsOf(text: string, before: Partial<Limits> | undefined): Partial<Limits> {
  const [, written = text, value] = /^([A-Za-z_]+)=(.*)$/s.exec(text) ?? [];
  const camel = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const name = limitNames.find((each) => each === camel);
  if (name === undefined)
    throw new InvalidArgumentError(`There is no limit ${written.slice(0, 100)}${hint(camel, limitNames)}`);
  if (value === undefined) throw new InvalidArgumentError('It must be name=value.');
  try {
    const checked = configFields[name](/^\d+$/.test(value) ? Number(value) : value, written);
    return { ...before, [name]: checked };
  } catch (error) {
    if (!isMempoolError(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

type LimitsCall = (target: Target, signal: AbortSignal) => Promise<Told<Limits>>;

async function showLimits(begin: Begin, call: LimitsCall): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    const limits = await call(target, terminal.signal);
    await terminal.answer(limits, () =>
      pairs(Object.entries(limits).map(([name, value]) => [name, String(value) === 'never' ? 'unlimited' : value])),
    );
  });
}
