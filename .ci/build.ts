// Builds the published packages, each after its dependencies: pnpm's own order fails for packages that test each other.
import { published, run } from './pack.ts';

for (const folder of published)
  run('npx', ['--yes', 'pnpm@12', '--filter', `./${folder}`, '--reporter=append-only', 'run', 'build']);
