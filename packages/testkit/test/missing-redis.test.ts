import { join } from 'node:path';
import { runProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
/** The programs of the npm scripts that need a Redis. Each starts its own, or takes any. */
const programs: Readonly<Record<string, readonly string[]>> = {
  'demo:failover': ['packages/chaos/src/main.ts', '--kills', '1'],
  'demo:sequencer': ['examples/epoch-sequencer/src/demo.ts', '--epochs', '1'],
  'test:soak': ['packages/chaos/src/soak.ts', '--faults', '1'],
  'test:soak:sentinel': ['packages/chaos/src/sentinel-soak.ts', '--faults', '1'],
  'test:suite:sentinel': ['packages/redis/test/sentinel/suite.ts', 'M1'],
  'test:soak:cluster': ['packages/redis/test/cluster/soak.ts', '--pools', '1'],
  'test:soak:transfer': ['packages/cli/test/transfer-soak.ts', '1'],
  'test:soak:histories': ['conformance/test/history-soak.ts', '--steps', '1'],
  'test:soak:spam': ['conformance/test/spam-soak.ts', '--calls', '1'],
  bench: ['packages/benchmark/src/main.ts', '--only', 'redis', '--rounds', '1'],
};

test.each(Object.entries(programs))(
  '%s ends with one line about Redis where there is none',
  async (_, [file, ...args]) => {
    const cwd = scratchFolder();
    // No redis-server, Docker or apt is on this PATH.
    const env = { PATH: cwd, MEMPOOL_TEST_REDIS_URL: '' };
    const { code, stderr } = await runProgram([join(root, file as string), ...args], { cwd, env });
    expect(code).toBe(1);
    expect(stderr.split('\n').filter((line) => line.includes('put redis-server on the PATH'))).toHaveLength(1);
    expect(stderr).not.toContain('    at ');
  },
);
