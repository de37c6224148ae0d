import { allCases, type ConformanceCase, runCase } from 'mempool-conformance';
import { expect, test } from 'vitest';
import { subject as lingering } from './fixtures/lingering.ts';
import { subject } from './fixtures/subject.ts';

const forking: ConformanceCase = {
  id: 'X9/fork',
  level: 'MUST',
  rule: 'X9',
  title: 'forks',
  since: '0.1.0',
  run: async () => {},
};

test('a child that still runs when its case ends is killed', async () => {
  let pid = 0;
  const { outcome } = await runCase(subject, {
    ...forking,
    async run({ fork }) {
      const child = await fork('watch', {});
      await child.message();
      pid = child.pid;
    },
  });
  expect(outcome.kind).toBe('passed');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a child that fails says why', async () => {
  const { outcome } = await runCase(
    { ...subject, module: new URL('./fixtures/no-subject.ts', import.meta.url).href },
    { ...forking, run: async ({ fork }) => void (await (await fork('watch', {})).message()) },
  );
  expect(outcome).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining('exports no subject') } });
});

test('a process that does not end after close is noticed', async () => {
  const ends = allCases.find(({ id }) => id === 'R2/process-ends-unused');
  expect(ends && (await runCase(lingering, ends, { timeoutMs: 3_000 })).outcome.kind).toBe('failed');
});
