import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { OpenedPool } from '../src/case/tested-pool.ts';

/** What a worker says of the three that it has taken, and later of what it could do with them. */
export interface SaidWork {
  readonly hashes: readonly string[];
  readonly untilMs: number;
  readonly acknowledged?: readonly string[];
  readonly released?: readonly string[];
  readonly dropped?: readonly string[];
  readonly extended?: string;
}

/** Takes three and says so. At SIGUSR2 acts on each under its claim, says what moved, and ends. */
export async function work(store: OpenedPool, owner: string, claimMs: number): Promise<void> {
  const alive = setInterval(() => undefined, 60_000);
  const told = once(process, 'SIGUSR2');
  const { claimId: claim, untilMs, transactions } = await store.take({ maxTxs: 3 }, { owner, claimMs });
  const hashes = transactions.map(({ hash }) => hash);
  say({ hashes, untilMs });
  await told;
  const { kind: extended } = await store.extendClaim(claim, claimMs);
  const acknowledged = await store.markAcknowledged(hashes.slice(0, 1), { claim });
  const released = await store.release(hashes.slice(1, 2), { claim });
  const dropped = await store.drop(hashes.slice(2), 'failed', { claim });
  say({ hashes, untilMs, extended, acknowledged, released, dropped });
  clearInterval(alive);
  await store.close();
}

function say(work: SaidWork): void {
  writeSync(1, `${JSON.stringify(work)}\n`);
}
