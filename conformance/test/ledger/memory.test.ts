import { testLedger } from 'mempool-conformance/vitest';
import { subject } from './memory-subject.ts';

testLedger(subject);
