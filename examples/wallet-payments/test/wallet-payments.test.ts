import { testReadme } from 'mempool-testkit/vitest';

testReadme(new URL('..', import.meta.url), ['src/payment.ts', 'src/payment.ts', 'src/bank.ts', 'src/crash.ts']);
