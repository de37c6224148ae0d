import { randomUUID } from 'node:crypto';
import type { AuditFault } from 'mempool-ledger';
import { expect, inject, test } from 'vitest';
import { operator } from '../../../redis/test/own-server.ts';
import { fund, openOwn } from './own-ledger.ts';

const url = inject('redisUrl');

/** Commands on the keys of a ledger with a wallet `a`. The key of a command names the thing that it damages. */
const damages: Readonly<Record<string, readonly [AuditFault['kind'], readonly string[]]>> = {
  'a posted transfer that is refused': ['transfer', ['HSET', 'ids', 'fund a', 'r3']],
  'the list of wallets': ['wallet', ['DEL', 'index']],
};

test.each(Object.entries(damages))('the audit finds damage: %s', async (_, [kind, [command = '', key, ...rest]]) => {
  const name = randomUUID();
  const ledger = await openOwn({ url, name });
  await fund(ledger, { a: 5n });
  expect(await ledger.audit()).toMatchObject({ ok: true });
  const admin = operator(url);
  await admin.call(command, `{ledger}:${name}:${key}`, ...rest);
  const { ok, faults } = await ledger.audit();
  expect(ok).toBe(false);
  expect(faults.map((fault) => fault.kind)).toContain(kind);
});

test('an audit names the key that has lost a transfer', async () => {
  const name = randomUUID();
  const ledger = await openOwn({ url, name });
  await fund(ledger, { a: 5n });
  await operator(url).hdel(`{ledger}:${name}:ids`, 'fund a');
  await expect(ledger.audit()).rejects.toMatchObject({
    code: 'ERR_LEDGER_CORRUPT',
    message: expect.stringContaining(`${name}:ids`),
  });
});
