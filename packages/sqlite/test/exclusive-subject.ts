import { sqliteExclusive } from 'mempool-sqlite';
import { fileSubject } from './file-subject.ts';

export const subject = fileSubject('sqlite-exclusive', import.meta.url, sqliteExclusive);
