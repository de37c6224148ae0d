import { ownCluster, ownGroup } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { fund, move, openOwn } from './own-ledger.ts';

test('through Sentinels: what was answered is there after a fail-over', { timeout: 120_000 }, async () => {
  const group = await ownGroup();
  const { sentinels, masterName } = group.endpoint;
  const ledger = await openOwn({ sentinels, masterName, minReplicas: 1, timeoutMs: 20_000 });
  await fund(ledger, { a: 10n, b: 0n });
  await ledger.transfer(move('1', 'a', 'b', 4n));
  const { server } = await group.master();
  await server.kill();
  expect(await ledger.transfer(move('2', 'a', 'b', 6n))).toMatchObject({ outcome: 'created' });
  expect(await ledger.transfer(move('3', 'a', 'b', 1n))).toMatchObject({ outcome: 'insufficient_funds' });
  expect(await ledger.audit()).toMatchObject({ ok: true });
});

test('in a cluster all keys are in one slot, also while it moves', { timeout: 120_000 }, async () => {
  const cluster = await ownCluster();
  const slot = await cluster.slotOf('{ledger}');
  const { server } = await cluster.otherMaster(slot);
  const ledger = await openOwn({ cluster: [`127.0.0.1:${server.port}`], name: 'main', timeoutMs: 20_000 });
  await fund(ledger, { a: 10n, b: 0n });
  const to = await cluster.otherMaster(slot);
  let isMoving = true;
  const moving = cluster.moveSlot(slot, to).finally(() => {
    isMoving = false;
  });
  let count = 0;
  for (; isMoving || count < 20; count += 1) {
    expect(
      await ledger.transfer(move(`${count}`, count % 2 === 0 ? 'a' : 'b', count % 2 === 0 ? 'b' : 'a', 10n)),
    ).toMatchObject({
      outcome: 'created',
      replayed: false,
    });
  }
  await moving;
  expect(await ledger.audit()).toMatchObject({ ok: true, records: 4 + count });
});
