import { randomUUID } from 'node:crypto';
import { openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';
import type { Cut } from 'mempool-testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ownProxy } from '../../../redis/test/own-server.ts';
import { FaultyProcess } from './faults.ts';
import { fill } from './filled.ts';
import { openScene, Scene } from './scene.ts';

const cuts: readonly Cut[] = ['before the request', 'after the request', 'before the reply'];

test.for(cuts)(
  'a connection to Redis that is cut %s, at any call, leaves each payment with one effect',
  async (cut) => {
    const proxy = await ownProxy(inject('redisUrl'));
    for (let at = 1, isCut = true; isCut; at++) {
      const name = randomUUID();
      const ledger = await openLedger(redisLedger, { url: proxy.url, name, currency: 'EUR', timeoutMs: 20_000 });
      onTestFinished(() => ledger.close());
      await fill(ledger);
      const { pool } = await openScene();
      isCut = false;
      const meet = async () => {
        isCut = true;
        void proxy.cutNext(cut);
      };
      const scene = new Scene(pool, new FaultyProcess({ at, when: 'before', meet }).sees(ledger), {});
      const [paid, dropped] = [await scene.submitted('a>b:60'), await scene.submitted('b>c:10')];
      await pool.drop([dropped.hash], 'expired');
      await scene.block();
      await scene.finalized(paid);
      await scene.undo(3);
      await scene.payments.catchUp();
      await scene.finalized(paid);
      expect(await scene.available('a', 'b', 'c')).toEqual([40, 160, 100]);
      expect(await scene.reservations(paid)).toEqual(['posted', 'posted']);
      expect(await scene.reservations(dropped)).toEqual(['voided']);
      expect(scene.reports).toEqual([]);
      await scene.expectClean();
    }
  },
);
