import { testLedger } from 'mempool-conformance/vitest';
import { subject } from './subject.ts';

testLedger(subject);
