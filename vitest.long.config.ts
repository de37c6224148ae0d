import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { projects: _, ...shared } = base.test ?? {};

/** Tests that are commands of their own, because they take longer: the files `*.long.ts` beside the others. */
export default defineConfig({
  ...base,
  test: {
    ...shared,
    maxWorkers: 2,
    // They are few, and some measure.
    isolate: true,
    testTimeout: 300_000,
    // The first run of a clone installs a development chain.
    hookTimeout: 600_000,
    include: ['packages/*/test/**/*.long.ts', 'examples/*/test/**/*.long.ts'],
    globalSetup: ['.ci/bundled-programs.ts', 'packages/testkit/src/redis-setup.ts'],
  },
});
