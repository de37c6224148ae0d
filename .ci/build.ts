// Builds what is published, each package after those it depends on: pnpm's own order goes astray on packages that test each other.
import { published, run } from './pack.ts';

for (const folder of published)
  run('npx', ['--yes', 'pnpm@12', '--filter', `./${folder}`, '--reporter=append-only', 'run', 'build']);
