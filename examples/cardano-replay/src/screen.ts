/** Where the replay shows itself: a bar on a terminal, now and then a line anywhere else. */
import { MultiBar, Presets } from 'cli-progress';
import type { KnownStage } from 'mempool-core';

type StageCounts = Readonly<Record<KnownStage, number>>;

export interface Screen {
  /** A line that stays. */
  say(line: string): void;
  show(blocks: number, stages: StageCounts): void;
  end(): void;
}

export function openScreen(total: number, done: number): Screen {
  return process.stdout.isTTY ? barScreen(total, done) : lineScreen(total, done);
}

function describe(stages: StageCounts): string {
  const inFlight = stages.Propagated + stages.Acknowledged;
  const { Pending, Confirmed, Finalized } = stages;
  return `${Pending} pending, ${inFlight} in flight, ${Confirmed} confirmed, ${Finalized} finalized`;
}

function barScreen(total: number, done: number): Screen {
  const format = '{bar} {value}/{total} blocks · {stages}';
  const settings = { format, stream: process.stdout, hideCursor: true, gracefulExit: false, barsize: 24 };
  const bars = new MultiBar(settings, Presets.shades_classic);
  const bar = bars.create(total, done, { stages: '' });
  return {
    say: (line) => bars.log(`${line}\n`),
    show: (blocks, stages) => bar.update(blocks, { stages: describe(stages) }),
    end: () => bars.stop(),
  };
}

/** Ten lines for a whole chain, whatever its length. */
function lineScreen(total: number, done: number): Screen {
  const tenth = (blocks: number) => Math.floor((blocks * 10) / total);
  let shown = tenth(done);
  return {
    say: (line) => console.log(line),
    show(blocks, stages) {
      if (tenth(blocks) === shown) return;
      shown = tenth(blocks);
      console.log(`${blocks}/${total} blocks · ${describe(stages)}`);
    },
    end: () => {},
  };
}
