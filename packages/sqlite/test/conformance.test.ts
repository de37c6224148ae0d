import { testMempoolStore } from 'mempool-conformance/vitest';
import { subject } from './shared-subject.ts';

testMempoolStore(subject);
