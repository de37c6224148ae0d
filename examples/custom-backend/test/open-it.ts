import { isMempoolError } from 'mempool-core';
import { journal } from '../src/index.ts';

try {
  await using _ = await journal.open({ path: process.argv[2] ?? '' });
  console.log('opened');
} catch (error) {
  console.log(isMempoolError(error) ? error.code : error);
}
