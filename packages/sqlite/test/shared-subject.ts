import { sqlite } from 'mempool-sqlite';
import { fileSubject } from './file-subject.ts';

export const subject = fileSubject('sqlite', import.meta.url, sqlite);
