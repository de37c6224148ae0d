/** A run's progress on stderr: a table that is redrawn on a terminal; elsewhere a line now and then. */
import { clearScreenDown, moveCursor } from 'node:readline';
import { styleText } from 'node:util';

interface Row {
  readonly node: string;
  readonly state: string;
  /** `null`: does not lead. */
  readonly term: number | null;
}

interface View {
  readonly rows: readonly Row[];
  /** Blocks on the chain and in the pool. */
  readonly released: number;
  readonly applied: number;
  readonly stages: string;
}

export interface Screen {
  /** A line that stays. */
  say(line: string): void;
  show(view: View): void;
  end(): void;
}

const linesMs = 5_000;

export function openScreen(): Screen {
  return process.stderr.isTTY ? tableScreen() : lineScreen();
}

function tableScreen(): Screen {
  const { stderr } = process;
  let drawn: string[] = [];
  const clear = () => {
    moveCursor(stderr, 0, -drawn.length);
    clearScreenDown(stderr);
  };
  const draw = (above: string) => {
    clear();
    stderr.write(above + drawn.map((line) => `${line}\n`).join(''));
  };
  return {
    say: (line) => draw(`${line}\n`),
    show: (view) => {
      clear();
      drawn = tableOf(view);
      stderr.write(drawn.map((line) => `${line}\n`).join(''));
    },
    end: () => {
      drawn = [];
    },
  };
}

function tableOf({ rows, released, applied, stages }: View): string[] {
  const lines = rows.map(({ node, state, term }) => {
    const line = `  ${node.padEnd(10)}${state.padEnd(10)}${term === null ? '' : `leads, term ${term}`}`;
    return term === null ? line : styleText('bold', line);
  });
  return ['', ...lines, `  ${progress(released, applied)}`, `  ${stages}`];
}

function lineScreen(): Screen {
  let shownAt = performance.now();
  return {
    say: (line) => console.error(line),
    show({ rows, released, applied, stages }) {
      if (performance.now() - shownAt < linesMs) return;
      shownAt = performance.now();
      const leader = rows.find(({ term }) => term !== null)?.node ?? 'nobody';
      console.error(`${leader} leads · ${progress(released, applied)} · ${stages}`);
    },
    end: () => {},
  };
}

function progress(released: number, applied: number): string {
  return `${released} blocks released, ${applied} applied`;
}
