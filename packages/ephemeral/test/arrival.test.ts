import { ephemeral } from 'mempool-ephemeral';
import { test } from 'vitest';
import { arrivalChecks } from '../../../conformance/test/arrival-checks.ts';

for (const { title, run } of arrivalChecks) test(title, () => run((options) => ephemeral.open(options)));
