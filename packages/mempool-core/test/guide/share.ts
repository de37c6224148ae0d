import { type Block, type ChainSource, Watcher } from 'mempool-core';
import { createElection, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';

const [b1, b2, c2] = ['b1', 'b2', 'c2'].map((digits) => digits.repeat(32)) as [string, string, string];
const block = (slot: number, hash: string, parent?: string): Block => ({
  point: { slot, hash },
  parent,
  seen: [],
});

// A chain of two blocks. Then the second one is replaced. In a real program this is your node's chain-sync.
const source: ChainSource = {
  async intersect(points) {
    if (points.length > 0) return null;
    return { point: null, steps: steps() };
  },
};
async function* steps() {
  yield { kind: 'apply', block: block(10, b1) } as const;
  yield { kind: 'apply', block: block(20, b2, b1) } as const;
  yield { kind: 'undo', point: { slot: 10, hash: b1 } } as const;
  yield { kind: 'apply', block: block(21, c2, b1) } as const;
  await end.promise;
}
const end = Promise.withResolvers<void>();

// The pool takes blocks only from the node that holds the lease.
const leases = new Leases();
await using pool = await ephemeral.open({ leases, fenced: true });
await using election = createElection(inProcessElection, { leases });
await using watcher = new Watcher({ election, pool, source });

const done = Promise.withResolvers<void>();
watcher.on('applied', ({ tip }) => (tip.point?.hash === c2 ? done.resolve() : undefined));
await watcher.start();
await election.start();
await done.promise;
const { point, tick } = await pool.tip();
console.log(`${tick} blocks, the last in slot ${point?.slot}`);
console.log((await pool.confirm(block(30, 'd3'.repeat(32), c2))).kind);
end.resolve();
