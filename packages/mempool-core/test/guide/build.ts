import { account, openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

// A payload: sender, nonce, fee, gas. The last argument but one is the nonce that the chain expects next.
const state = new Map<string, bigint>();
const read = (payload: Uint8Array) => {
  const [sender = '', nonce = '0', fee = '0', gas = '0'] = Buffer.from(payload).toString().split(' ');
  return { sender, nonce: BigInt(nonce), fee: BigInt(fee), gas: Number(gas) };
};
await using pool = await openMempool(
  { backend: 'ephemeral', ordering: 'priority' },
  { ephemeral },
  {
    validate: ({ payload }) => {
      const { sender, nonce, fee, gas } = read(payload);
      return account(sender, nonce, state.get(sender) ?? 0n, { priority: fee, gas });
    },
  },
);
for (const [id, text] of Object.entries({ a0: 'ann 0 50 20', b0: 'ben 0 70 20', c0: 'cat 0 60 20' }))
  await pool.submit({ hash: id.repeat(32), payload: Buffer.from(text) });

async function build(slot: number, fails: string): Promise<void> {
  // Take the best that fit. Nobody else gets them while the claim lasts.
  const claim = await pool.take({ maxGas: 40, maxBytes: 1_000 }, { owner: 'builder', claimMs: 10_000, payloads: true });
  const block: string[] = [];
  for (const transaction of claim.transactions) {
    const { sender, nonce } = read(transaction.payload);
    if (sender === fails) {
      // It cannot be executed now. Hold it back for a minute.
      await pool.release(transaction.hash, { claim: claim.claimId, notBeforeMs: claim.untilMs + 50_000 });
      continue;
    }
    block.push(transaction.hash);
    state.set(sender, nonce + 1n);
  }
  const { point } = await pool.tip();
  const hash = `b${slot}`.repeat(32);
  await pool.confirm({ point: { slot, hash }, parent: point?.hash, seen: block });
  console.log(`block ${slot}:`, block.map((each) => each.slice(0, 2)).join(' '), (await pool.usage()).held, 'held');
}

await build(1, 'ben');
await build(2, '');
