/** Draws the order of a priority pool, as a pool has it, into the file named. */
import { writeFile } from 'node:fs/promises';
import { draw } from './drawing.ts';
import { playScene } from './scene.ts';

const [path, ...more] = process.argv.slice(2);
if (more.length > 0 || path?.startsWith('-')) end(2, 'it takes the file to write, or nothing');
else if (path === undefined) process.stdout.write(await picture());
else await writeFile(path, await picture()).catch((error: Error) => end(1, error.message));

async function picture(): Promise<string> {
  return draw(await playScene());
}

function end(code: number, message: string): void {
  console.error(`order-picture: ${message}`);
  process.exitCode = code;
}
