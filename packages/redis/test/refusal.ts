import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { isMempoolError, type MempoolError, type MempoolErrorCode, type MempoolErrorDetails } from 'mempool-core';
import { expect } from 'vitest';
import { operator, ownServer } from './own-server.ts';

/** For `assert.rejects`: an error of a pool with this code and at least these details. */
export const fails =
  (code: MempoolErrorCode, details: MempoolErrorDetails = {}) =>
  (error: unknown) => {
    assert.ok(isMempoolError(error), `not an error of ours: ${error}`);
    assert.equal(error.code, code, error.message);
    expect((error as MempoolError).details).toMatchObject(details);
    return true;
  };

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');

function named(line: RegExp): string[] {
  const [, words = ''] = line.exec(readme) as RegExpExecArray;
  return words.replaceAll('dolos:mempool', 'mempool').split(' ');
}

const ofPool = named(/^ACL SETUSER mempool-node on >secret (.+)$/m);
/** What a node of a priority pool needs besides. */
const ofPriority = named(/^ACL SETUSER mempool-node (\+.+)$/m);

/** The rights that the README names. */
export const rights = {
  fifo: ofPool,
  ofPriority,
  priority: [...ofPool, ...ofPriority],
  /** What a pool and an election need besides in a cluster. */
  cluster: named(/^ACL SETUSER mempool-cluster (.+)$/m),
  election: named(/^ACL SETUSER mempool-election on >secret (.+)$/m),
};

/** The URL of a new server for a user with these rights alone. */
export async function userWith(given: readonly string[]): Promise<string> {
  const server = await ownServer();
  await operator(server.url).call('ACL', 'SETUSER', 'node', 'on', '>secret', ...given);
  return server.url.replace('//', '//node:secret@');
}
