/** Writes `recorded.json`: signed transactions, blocks with them, and what took the place of these blocks after a reorganisation. */
import { writeFileSync } from 'node:fs';
import { recordBlocks, startDevChain } from 'evm-chain';
import { senders, signed } from './cast.ts';

await using chain = await startDevChain();
const raws = await Promise.all([0, 1, 2].map((nonce) => signed(senders[0], nonce)));
await chain.call('hardhat_setBalance', senders[0].address, '0xffffffffffffffffffffff');

async function mine(count: number, ...sent: readonly string[]): Promise<void> {
  for (const raw of sent) await chain.call('eth_sendRawTransaction', raw);
  for (let i = 0; i < count; i += 1) await chain.mine();
}
await mine(1);
const back = await chain.snapshot();
await mine(1, ...raws.slice(0, 2));
await mine(1, ...raws.slice(2));
const main = await recordBlocks(chain, 0);
await back();
await chain.call('evm_increaseTime', 60);
await mine(3);
await mine(3, ...raws);
const recorded = { raws, main, fork: [...main.slice(0, 2), ...(await recordBlocks(chain, 2))] };
writeFileSync(new URL('recorded.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`);
