/** Builds twelve blocks while the base fee moves, in three ways, and checks at the end that all adds up. */
import { account } from 'mempool-core';
import { openNode } from 'mempool-node';
import { builderOf } from './builder.ts';
import { Chain, gasLimit } from './chain.ts';
import { Check, gasOf } from './check.ts';
import { Traffic } from './traffic.ts';
import { decodeTransfer, encodeTransfer } from './transfer.ts';

const [backend = 'ephemeral', place] = process.argv.slice(2);
const config = {
  backend: backend as 'ephemeral' | 'sqlite' | 'redis',
  ...(backend === 'sqlite' && { path: place }),
  ...(backend === 'redis' && { url: place, pool: `block-builder-${process.pid}` }),
  ordering: 'priority' as const,
  finalizeThreshold: 3,
};

const [chain, traffic, check] = [new Chain(), new Traffic(), new Check()];

await using opened = await openNode(config, {
  height: () => chain.height,
  validate: ({ payload }) => {
    const { sender, nonce, maxFee, gas } = decodeTransfer(payload);
    return account(sender, nonce, chain.nextNonce(sender), { priority: BigInt(maxFee), gas });
  },
});
const { pool } = opened;

for (let block = 1; block <= 12; block++) {
  for (const transfer of traffic.wave(block)) {
    const { hash, kind } = await pool.submit(encodeTransfer(transfer));
    if (kind === 'received') check.submitted.push(hash);
  }

  const { baseFee } = chain;
  await pool.setLimits({ minPriority: BigInt(baseFee) });
  const load = (await pool.usage()).load;

  const { way, build } = builderOf(block);
  const draft = await build(pool);
  const failed = draft.failed.map(({ hash }) => hash);
  const dropped = await pool.drop(failed, 'failed', { descendants: true });
  check.block(draft, dropped, baseFee);
  for (const { transfer } of draft.failed) traffic.resume(transfer);

  const transfers = draft.included.map(({ transfer }) => transfer);
  const seen = draft.included.map(({ hash }) => hash);
  await pool.confirm(chain.grow(transfers, seen));
  const full = `${Math.round((gasOf(draft.included) * 100) / gasLimit)} %`;
  const waiting = `${load?.ready} ready, ${load?.belowFloor} below it`;
  console.log(`block ${block}: base fee ${baseFee}, ${waiting}; ${seen.length} by ${way}, ${full} full`);
}

const { included, failed, waiting } = await check.end(pool);
console.log(`checked: ${included} in blocks, ${failed} failed or needed one that did, ${waiting} wait, none is lost`);
