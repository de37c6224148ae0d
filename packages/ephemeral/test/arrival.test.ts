import { ephemeral } from 'mempool-ephemeral';
import { test } from 'vitest';
import { fifoChecks } from '../../../conformance/test/fifo-checks.ts';

for (const { title, run } of fifoChecks) test(title, () => run((options) => ephemeral.open(options)));
