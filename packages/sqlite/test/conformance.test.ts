import { testMempoolStore } from 'mempool-conformance/vitest';
import { subject as exclusive } from './exclusive-subject.ts';
import { subject as shared } from './shared-subject.ts';

testMempoolStore(shared);
testMempoolStore(exclusive);
