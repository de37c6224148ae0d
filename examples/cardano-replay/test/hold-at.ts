/** Loaded before the program: once that has written what HOLD_AT says, it stands still until its input ends. */
import { readSync } from 'node:fs';

const text = process.env.HOLD_AT ?? '';
const write = process.stdout.write.bind(process.stdout) as (...args: readonly unknown[]) => boolean;
let written = '';
let isOver = false;

process.stdout.write = (...args: readonly unknown[]): boolean => {
  const hasRoom = write(...args);
  written += String(args[0]);
  if (!isOver && written.includes(text)) {
    isOver = true;
    readSync(0, Buffer.alloc(1));
  }
  return hasRoom;
};
