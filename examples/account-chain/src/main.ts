/** A priority pool for a chain of accounts: nonces in order, replacement by fee, gaps, blocks, and verdicts given again. */
import { openNode } from 'mempool-node';
import { Chain } from './chain.ts';
import { Node } from './node.ts';
import { validator } from './validator.ts';

const chain = new Chain({ ann: 200, ben: 900, cat: 900, dan: 900 });
const config = { backend: 'ephemeral', ordering: 'priority', maxPerSender: 3 } as const;
await using opened = await openNode(config, { validate: validator(chain), height: () => chain.height });
const node = new Node(opened.pool, chain);

console.log('Nonces go in order, whatever each pays; a child never pays for its parent:');
await node.submit({ sender: 'ann', nonce: 0, fee: 40, gas: 2 });
await node.submit({ sender: 'ann', nonce: 1, fee: 180, gas: 2 });
await node.submit({ sender: 'ben', nonce: 0, fee: 60, gas: 2 });
await node.tellOrder();

console.log('A nonce whose predecessor is missing is parked until it comes:');
await node.submit({ sender: 'cat', nonce: 1, fee: 100, gas: 2 });
await node.tellOrder();
await node.submit({ sender: 'cat', nonce: 0, fee: 100, gas: 2 });
await node.tellOrder();

console.log('The same nonce again replaces, if it pays a tenth more:');
await node.submit({ sender: 'ben', nonce: 0, fee: 65, gas: 2 });
await node.submit({ sender: 'ben', nonce: 0, fee: 66, gas: 2 });
await node.tellOrder();

console.log('A sender has three places, and a nonce that the chain has used is none of them:');
for (const nonce of [0, 1, 2, 3]) await node.submit({ sender: 'dan', nonce, fee: 20, gas: 2 });

console.log('A block is a prefix of the order, within its gas and bytes:');
const block = await node.propose({ maxGas: 9, maxBytes: 200, overheadBytes: 2 });
await node.apply(block);
await node.submit({ sender: 'cat', nonce: 0, fee: 500, gas: 2 });
await node.tellOrder();

console.log('After it, the application is asked again about what stayed:');
await node.recheck();
await node.tellOrder();

console.log('A block of another node, with a nonce that the pool has a transfer for:');
await node.apply([{ sender: 'dan', nonce: 0, fee: 30, gas: 2 }]);
await node.tellOrder();
