/** Draws the order of a priority pool, as a pool has it, into the file named. */
import { writeFile } from 'node:fs/promises';
import { draw } from './drawing.ts';
import { playScene } from './scene.ts';

const [path] = process.argv.slice(2);
const picture = draw(await playScene());
if (path === undefined) process.stdout.write(picture);
else await writeFile(path, picture);
