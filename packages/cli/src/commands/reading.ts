import { Argument, type Command, Option } from 'commander';
import { knownStages, type TransactionStatus, type WaitStage } from 'mempool-core';
import { type List, lists, type Row, type Told } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { ago, pairs, span, table } from '../terminal/table.ts';
import { asJson, plain, type Terminal } from '../terminal/terminal.ts';
import { type Begin, duration, limit, onTarget, transactionHash, wholeNumber } from './command.ts';

const waitStages = knownStages.filter((stage) => stage !== 'Pending' && stage !== 'Dropped');

/** Adds `status`, `ls`, `tip`, `usage`. */
export function addReading(program: Command, begin: Begin): void {
  program
    .command('status')
    .description('show the stage of a transaction')
    .argument('<hash>', 'its hash', transactionHash)
    .addOption(new Option('--wait <stage>', 'wait for this stage or a later one').choices(waitStages))
    .option('--timeout <duration>', 'how long to wait (default: 10m)', duration, 600_000)
    .action((hash: string, options: { wait?: WaitStage; timeout: number }) => status(begin, hash, options));
  program
    .command('ls')
    .description('list transactions')
    .addArgument(new Argument('<list>', 'which ones; best: by priority').choices(lists))
    .option(...limit)
    .action((list: List, { limit }: { limit: number }) => listRows(begin, list, limit));
  program
    .command('tip')
    .description('show the last block')
    .option('--points <number>', 'show this many of the last blocks', wholeNumber(0), 1)
    .action(({ points }: { points: number }) => tip(begin, points));
  program
    .command('usage')
    .description('show how much the pool holds')
    .action(() => usage(begin));
}

async function status(
  begin: Begin,
  hash: string,
  { wait, timeout }: { wait?: WaitStage; timeout: number },
): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    const { signal } = terminal;
    const found =
      wait === undefined
        ? { kind: 'reached' as const, status: await target.status(hash, { signal }) }
        : await target.waitFor(hash, { stage: wait, timeoutMs: timeout, signal });
    await terminal.answer(found.status, (style) => statusText(found.status, style));
    const { stage } = found.status;
    if (found.kind === 'timeout') throw new Failure(exitCodes.tryAgain, `not ${wait} after ${span(timeout)}`);
    if (stage === 'Unknown') throw new Failure(exitCodes.notFound, `the pool does not know ${hash}`);
    if (found.kind === 'dropped') throw new Failure(exitCodes.refused, `${hash} was dropped`);
  });
}

function statusText(status: Told<TransactionStatus>, style: Terminal['style']): string {
  const { hash, stage, confirmations, nonConfirmations, confirmedAt, reason, receivedAt, attempts } = status;
  const { notBefore } = status;
  const when = (at: number | null): string =>
    at === null ? '-' : `${new Date(at).toISOString()} (${ago(at, Date.now())} ago)`;
  const stageStyle = stage === 'Dropped' || stage === 'Unknown' ? 'red' : stage === 'Finalized' ? 'green' : 'bold';
  return pairs([
    ['hash', hash],
    ['stage', style(stageStyle, stage)],
    ...(reason === null ? [] : [['reason', reasonText(reason)] as const]),
    ...(confirmedAt === null ? [] : [['block', `${confirmedAt.slot}:${confirmedAt.hash}`] as const]),
    ['confirmations', confirmations],
    ...(nonConfirmations === 0 ? [] : [['blocks without', nonConfirmations] as const]),
    ['attempts', attempts],
    ['received', when(receivedAt)],
    ...(notBefore === null ? [] : [['held back until', new Date(notBefore).toISOString()] as const]),
  ]);
}

/** Returns the reason of a drop as text for people. */
export function reasonText(reason: Told<TransactionStatus>['reason']): string {
  if (reason === null) return '';
  return typeof reason === 'string' ? reason : plain(reason.app);
}

const batch = 500;

async function listRows(begin: Begin, list: List, limit: number): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    let held: Row[] = [];
    let shown = 0;
    let more = false;
    const flush = async (): Promise<void> => {
      if (held.length > 0)
        await terminal.line(
          table(
            heads[list],
            held.map((row) => cells(list, row)),
          ),
        );
      held = [];
    };
    for await (const row of target.list(list, { signal: terminal.signal })) {
      more = limit !== 0 && shown === limit;
      if (more) break;
      shown += 1;
      if (terminal.json) await terminal.line(asJson(row));
      else held.push(row);
      if (held.length === batch) await flush();
    }
    await flush();
    if (more) terminal.note(`there are more than ${limit}: --limit 0 shows all`);
    else if (shown === 0 && !terminal.json) terminal.note('none');
  });
}

const liveHead = ['hash', 'stage', 'seq', 'bytes', 'confirmations', 'attempts', 'age'];
const heads: Readonly<Record<List, readonly string[]>> = {
  pending: liveHead,
  parked: liveHead,
  inflight: liveHead,
  final: ['hash', 'stage', 'log', 'bytes', 'block', 'reason', 'ended'],
  best: ['hash', 'seq', 'bytes', 'gas', 'priority'],
};

function cells(list: List, row: Row): (string | number)[] {
  const at = list === 'final' ? row.at : row.receivedAt;
  const values: Readonly<Record<string, unknown>> = {
    ...row,
    log: row.logSeq,
    block: (row.point as { slot?: number } | null | undefined)?.slot,
    reason: reasonText((row.reason ?? null) as Told<TransactionStatus>['reason']),
    age: ago(at as number | null, Date.now()),
    ended: ago(at as number | null, Date.now()),
  };
  return heads[list].map((name) => {
    const value = values[name];
    return typeof value === 'number' || typeof value === 'string' ? value : '-';
  });
}

async function tip(begin: Begin, points: number): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    const answer = await target.tip(points, { signal: terminal.signal });
    await terminal.answer(answer, () => {
      const blocks = answer.points.map(({ slot, hash }) => [slot, hash]);
      const last = answer.point === null ? 'no block yet' : `${answer.point.slot}:${answer.point.hash}`;
      const head = pairs([
        ['tip', last],
        ['blocks', answer.tick],
        ['epoch', answer.epoch],
      ]);
      return blocks.length < 2 ? head : `${head}\n\n${table(['slot', 'hash'], blocks)}`;
    });
  });
}

async function usage(begin: Begin): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    const answer = await target.usage({ signal: terminal.signal });
    await terminal.answer(answer, () => {
      const { pending, held, propagated, acknowledged, confirmed, logged, oldestInflight, load } = answer;
      const oldest =
        oldestInflight === null ? '-' : `${oldestInflight.hash}, ${ago(oldestInflight.sentAt, Date.now())}`;
      const priority =
        load === undefined
          ? []
          : ([
              ['ready', load.ready],
              ['parked', load.parked],
              ['bytes', load.bytes],
              ['gas', load.gas],
              ['room for transactions', load.headroom.transactions],
              ['room for bytes', load.headroom.bytes],
              ['floor', load.floor.kind === 'at-least' ? load.floor.priority : load.floor.kind],
            ] as const);
      return pairs([
        ['pending', pending],
        ['held back', held],
        ['propagated', propagated],
        ['acknowledged', acknowledged],
        ['confirmed', confirmed],
        ['in the log', logged],
        ['oldest in flight', oldest],
        ...priority,
      ]);
    });
  });
}
