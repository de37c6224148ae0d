import { account, accountTag, type Transaction } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

// Your application reads its own payloads. Here: sender, nonce, fee.
const bytes = (text: string) => new TextEncoder().encode(text);
const read = ({ payload }: Transaction) => {
  const [sender = '', nonce = '0', fee = '0'] = new TextDecoder().decode(payload).split(' ');
  return { sender, nonce: BigInt(nonce), fee: BigInt(fee) };
};

// The verdict: one transaction per nonce, in the order of the nonces, worth its fee.
await using pool = await ephemeral.open({
  ordering: 'priority',
  maxTxs: 3,
  validate(transaction) {
    const { sender, nonce, fee } = read(transaction);
    return account(sender, nonce, 0n, { priority: fee });
  },
});
const submit = async (id: string, text: string) => {
  const { kind } = await pool.submit({ hash: id.repeat(32), payload: bytes(text), payloadType: 0 });
  return kind;
};

// ben's nonce 1 is parked until his nonce 0 is there.
await submit('b1', 'ben 1 70');
await submit('a0', 'ann 0 50');
console.log((await pool.usage()).load?.parked, (await pool.reap()).map(({ priority }) => priority).join(' '));
await submit('b0', 'ben 0 60');
console.log((await pool.usage()).load?.parked, (await pool.reap()).map(({ priority }) => priority).join(' '));

// The pool is full: a newcomer must pay more than the worst.
console.log(await submit('c0', 'cat 0 50'), await submit('c1', 'cat 0 51'));

// The same nonce again must pay a tenth more.
console.log(await submit('b2', 'ben 0 65'), await submit('b3', 'ben 0 66'));

// A block that another node made has used cat's nonce 0.
const block = { point: { slot: 1, hash: 'ff'.repeat(32) }, seen: [], provides: [accountTag('cat', 0)] };
await pool.confirm(block);
console.log((await pool.status('c1'.repeat(32))).reason);
