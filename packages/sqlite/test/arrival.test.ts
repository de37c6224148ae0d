import { join } from 'node:path';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { test } from 'vitest';
import { arrivalChecks } from '../../../conformance/test/arrival-checks.ts';
import { scratch } from './scratch.ts';

for (const backend of [sqlite, sqliteExclusive])
  for (const { title, run } of arrivalChecks)
    test(`${backend.name}: ${title}`, async () => {
      const path = join(scratch(), 'pool.db');
      await run((options) => backend.open({ ...options, path }));
    });
