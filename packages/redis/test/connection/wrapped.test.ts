import { MempoolError, type MempoolErrorCode } from 'mempool-core';
import { expect, test } from 'vitest';
import { isPoolMissing, refusal } from '../../src/connection/refusal.ts';

const call = 'ERR Error running script (call to f_6b1bf486c81ceb7edf3c093f4a48c7e1b1e24b6e): ';

/** As Redis 6.2 answers where a command fails inside a script; 7 leaves the words as they are. */
const wrapped: readonly (readonly [MempoolErrorCode, string])[] = [
  [
    'ERR_MEMPOOL_STORE_FULL',
    "@user_script:31: @user_script: 31: -OOM command not allowed when used memory > 'maxmemory'.",
  ],
  ['ERR_MEMPOOL_STORE_FULL', '@user_script:31: -MISCONF Redis is configured to save RDB snapshots, but it cannot.'],
  [
    'ERR_MEMPOOL_READ_ONLY',
    "@user_script:31: @user_script: 31: -READONLY You can't write against a read only replica.",
  ],
  ['ERR_MEMPOOL_PERMISSION', '@user_script:31: NOPERM this user has no permissions to run this command'],
  ['ERR_MEMPOOL_INCOMPATIBLE', '@user_script:31: @user_script: 31: Unknown Redis command called from Lua script'],
  ['ERR_MEMPOOL_UNAVAILABLE', '@user_script:31: -MASTERDOWN Link with MASTER is down'],
];

test.for(wrapped)('%s is told from what Redis 6.2 says: %s', ([code, words]) => {
  expect(refusal(new Error(call + words), 'EVALSHA')).toMatchObject({ code });
  expect(refusal(new Error(words), 'EVALSHA')).toMatchObject({ code });
});

test('a key of another type is told from what Redis 6.2 says, and a fault of a script is no refusal', () => {
  const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
  const foreign = '@user_script:12: WRONGTYPE Operation against a key holding the wrong kind of value';
  expect(isPoolMissing(reply(call + foreign))).toBe(true);
  const fault = reply(`${call}@user_script:12: user_script:12: attempt to index a nil value`);
  expect(isPoolMissing(fault)).toBe(false);
  expect(refusal(fault, 'EVALSHA')).toBe(fault);
  expect(refusal(fault, 'EVALSHA')).not.toBeInstanceOf(MempoolError);
});
