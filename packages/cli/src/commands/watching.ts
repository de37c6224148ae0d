import type { Command } from 'commander';
import type { Target, ToldEvent } from '../target/target.ts';
import { asJson, type Terminal } from '../terminal/terminal.ts';
import { type Begin, onTarget, several, transactionHash } from './command.ts';
import { reasonText } from './reading.ts';

/** Adds `watch`. */
export function addWatching(program: Command, begin: Begin): void {
  program
    .command('watch')
    .description('print every change as it happens, until Ctrl-C; with hashes: of these transactions')
    .argument('[hash...]', 'transactions to watch', several(transactionHash))
    .option('--after <cursor>', 'begin after this event (the cursor that --json prints); origin: the oldest one kept')
    .action((hashes: readonly string[] | undefined, { after }: { after?: string }) =>
      watch(begin, hashes ?? [], after),
    );
}

/** It begins at a cursor, so that it can resume there after a connection that is lost before the first event. */
async function watch(begin: Begin, hashes: readonly string[], after: string | undefined): Promise<void> {
  await onTarget(begin(), async (target, terminal) => {
    const { signal } = terminal;
    try {
      const from = after ?? (await target.usage({ signal })).cursors.events;
      if (after === undefined) await present(target, terminal, hashes);
      for await (const event of target.events({ hashes, after: from, signal })) {
        await terminal.line(terminal.json ? asJson(event) : eventText(event, terminal.style));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
}

/** The stage now of each transaction, as text; with `--json` only events are printed. */
async function present(target: Target, terminal: Terminal, hashes: readonly string[]): Promise<void> {
  for (const hash of terminal.json ? [] : hashes) {
    const { stage } = await target.status(hash, { signal: terminal.signal });
    await terminal.line(`${time(Date.now(), terminal.style)}  ${hash}  ${terminal.style('bold', stage)}`);
  }
}

function time(at: number | null, style: Terminal['style']): string {
  return style('dim', at === null ? '-'.repeat(12) : new Date(at).toISOString().slice(11, 23));
}

const stageStyles = { Dropped: 'red', Finalized: 'green', Confirmed: 'green' } as const;

function eventText(event: ToldEvent, style: Terminal['style']): string {
  switch (event.kind) {
    case 'transaction': {
      const { at, hash, stage, previous, cause, point, reason, replacedBy } = event;
      const shown = style(Object.hasOwn(stageStyles, stage) ? stageStyles[stage as 'Dropped'] : 'bold', stage);
      const block = point === null ? '' : `  slot ${point.slot}`;
      const why = reason === null ? cause : `${cause}: ${reasonText(reason)}`;
      const by = replacedBy === undefined ? '' : ` by ${replacedBy}`;
      return `${time(at, style)}  ${hash}  ${previous.stage} → ${shown}  ${why}${by}${block}`;
    }
    case 'block':
      return `${time(event.at, style)}  block ${event.point.slot}:${event.point.hash}  ${style('bold', event.action)}`;
    case 'ready':
      return `${time(event.at, style)}  ${event.hash}  ${style('bold', 'ready')}`;
    case 'parked':
      return `${time(event.at, style)}  ${event.hash}  ${style('bold', 'parked')}  ${event.reason}`;
    case 'lagged': {
      const what = event.restarted ? 'the pool was made anew' : `${event.missed} events were lost to this reader`;
      return `${time(null, style)}  ${style('yellow', what)}`;
    }
  }
}
