import { testMempoolStore } from 'mempool-conformance/vitest';
import { subject } from './subject.ts';

testMempoolStore(subject);
