import { testReadme } from 'mempool-testkit/vitest';

testReadme(new URL('..', import.meta.url), ['src/validator.ts', 'src/main.ts']);
