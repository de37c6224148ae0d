import type { MempoolStore, Usage } from 'mempool-core';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

const perRound = 4;

/** Call `n` of an endless series: four transactions are received, marked in flight, two of them confirmed, and so on. */
export function callOf(store: MempoolStore, n: number): Promise<unknown> {
  const round = Math.floor(n / 3);
  const mine = numbers(perRound, round * perRound);
  const options = { operationId: `call ${n}` };
  if (n % 3 === 0)
    return store.receive(
      mine.map((each) => transaction(each)),
      options,
    );
  if (n % 3 === 1) return store.markInflight(mine.slice(0, 3).map(hashOf), options);
  const parent = round === 0 ? undefined : pointOf(round).hash;
  const seen = mine.slice(0, 2).map(hashOf);
  return store.confirm({ point: pointOf(round + 1), parent, seen, unseen: [] }, {}, options);
}

/** What the pool holds after `count` calls, with no threshold ever reached. */
export function usageAfter(count: number): Usage {
  const [received, marked, confirmed] = [2, 1, 0].map((more) => Math.floor((count + more) / 3)) as [
    number,
    number,
    number,
  ];
  return {
    pending: received * perRound - marked * 3,
    propagated: marked * 3 - confirmed * 2,
    acknowledged: 0,
    confirmed: confirmed * 2,
    logged: 0,
    lastLogSeq: 0,
    lastSeq: received * perRound,
    lastEventSeq: received * perRound + marked * 3 + confirmed * 3,
  };
}
