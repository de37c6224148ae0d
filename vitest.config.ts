import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Vitest hands these on to Node too, so that child processes forked by a test run the sources unbuilt as well.
const conditions = ['mempool-source', ...defaultServerConditions];

/** Folders whose tests talk to a Redis; the others start without one. */
const withRedis = [
  'packages/redis',
  'packages/ledger',
  'packages/node',
  'packages/sequencer',
  'packages/server',
  'packages/edge-*',
  'packages/dashboard',
  'packages/cli',
  'packages/testkit',
  'packages/chaos',
  'packages/benchmark',
  'conformance',
  'examples/block-builder',
  'examples/cardano-replay',
  'examples/epoch-sequencer',
  'examples/multi-node',
  'examples/relayer',
];

const memory = '/dev/shm';
const enoughBytes = 2 * 1024 ** 3;

/** Tests create and sync thousands of small files, and none cuts the power, so the files lie in memory where that is possible. */
function scratchFolder(): { readonly TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > enoughBytes ? { TMPDIR: memory } : {};
  } catch {
    return {};
  }
}

/** If a file of two minutes begins last, the whole run waits for it: those of minutes first, then those of half a minute. */
const longest = [
  /(redis|sqlite).test.conformance/,
  /(planted|mutants|runs|command)\.test/,
  /(conformance|run|waiting|crash|relayer|outage|replay|pause)\.test/,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((name) => name.test(moduleId));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const tests = (folders: readonly string[]) => folders.map((folder) => `${folder}/test/**/*.test.ts`);

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    reporters: ['default', './.ci/closing-lines.ts'],
    env: {
      // Where `npm run matrix` finds what each backend passed.
      MEMPOOL_CONFORMANCE_REPORTS: fileURLToPath(new URL('.data/conformance', import.meta.url)),
      // Hundreds of child processes load the same sources. Without the cache each compiles again.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.data/compile-cache', import.meta.url)),
      // Their programs run bundled: most of a child's start is to resolve and link modules.
      NODE_OPTIONS: `--import=${new URL('.ci/run-bundled.mjs', import.meta.url)}`,
      ...scratchFolder(),
    },
    // Many files wait for leases, processes and servers: three at a time left a quarter of two cores idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // No file leaves anything behind that others see, so a worker runs many: a process and its imports cost a quarter of a second each.
    isolate: false,
    // An expected event may take a while on a loaded machine; a missing one is a failure, however long the wait.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: tests(['packages/*', 'examples/*']),
          exclude: ['**/node_modules/**', ...tests(withRedis)],
          globalSetup: ['.ci/bundled-programs.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'redis',
          include: tests(withRedis),
          globalSetup: ['.ci/bundled-programs.ts', 'packages/testkit/src/redis-setup.ts'],
        },
      },
    ],
  },
});
