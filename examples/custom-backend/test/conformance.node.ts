import test from 'node:test';
import { caseTests } from 'mempool-conformance';
import { subject } from './subject.ts';

for (const { title, run } of caseTests(subject)) test(title, run);
