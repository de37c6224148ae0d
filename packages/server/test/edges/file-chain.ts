import { appendFileSync, readFileSync, watch } from 'node:fs';
import { DemoChain } from '../../src/demo/demo-chain.ts';

type Line = { readonly apply: readonly string[] } | { readonly undo: number };

/** Adds a block with these transactions to the chain of a file. */
export function applyTo(file: string, hashes: readonly string[]): void {
  append(file, { apply: hashes });
}

/** Takes the last blocks of the chain of a file back. */
export function undoIn(file: string, count: number): void {
  append(file, { undo: count });
}

function append(file: string, line: Line): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** The chain of a file, which grows and forks as lines are added. Each process that reads it sees the same blocks. */
export async function followFile(file: string): Promise<DemoChain> {
  const chain = new DemoChain();
  chain.begin(null);
  let read = 0;
  let slot = 0;
  const readOn = (): void => {
    // What is behind the last line end is not written to its end.
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    for (const text of lines.slice(read)) {
      const line = JSON.parse(text) as Line;
      slot += 1;
      if ('undo' in line) chain.undo(line.undo);
      else chain.extend({ point: { slot, hash: slot.toString(16).padStart(64, '0') }, seen: line.apply, unseen: [] });
    }
    read = lines.length;
  };
  watch(file, readOn).unref();
  readOn();
  return chain;
}
