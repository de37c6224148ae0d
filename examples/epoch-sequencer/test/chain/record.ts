/** Writes `recorded.json`: blocks of a development chain, and those that took the place of the last ones after a reorganisation. */
import { writeFileSync } from 'node:fs';
import { type DevChain, recordBlocks, startDevChain } from 'evm-chain';
import { agreementDigest } from 'mempool-sequencer';
import { EpochContract, releaseEpoch } from 'mempool-sequencer/evm';
import { deployContract } from '../../src/chain/deploy-contract.ts';
import { validators } from './cast.ts';
import type { Recorded } from './recorded.ts';
import { ownerKey, turnTo } from './scene.ts';

const all = validators(3);

/** Sends an epoch's root in the turn of a validator. It is in the next block. */
async function submit(chain: DevChain, contract: EpochContract, epoch: number): Promise<void> {
  const root = String(epoch).repeat(64);
  const digest = agreementDigest({ domain: contract.deployed.domain, epoch, root });
  const signatures = all.map(({ sign }) => sign(digest));
  const from = await turnTo(chain, contract, epoch);
  await chain.call('hardhat_setBalance', from, '0xffffffffffffffffffffff');
  await chain.call('hardhat_impersonateAccount', from);
  const data = contract.submitData({ epoch, root, signatures });
  await chain.call('eth_sendTransaction', { from, to: contract.deployed.address, data, gas: '0x50000' });
  await chain.mine();
}

await using chain = await startDevChain();
// A day before the windows close.
await chain.call('evm_setNextBlockTimestamp', Date.UTC(2099, 11, 31) / 1_000);
const deployed = await deployContract(chain, { owner: ownerKey, name: 'protocol:market' });
const contract = new EpochContract(deployed);
for (const epoch of [1, 2]) {
  const names = all.map(({ address }) => address);
  await releaseEpoch(deployed, ownerKey, { epoch, closesAt: Date.UTC(2100, 0), validators: names });
  await chain.mine();
}
await submit(chain, contract, 1);
const back = await chain.snapshot();
await submit(chain, contract, 2);
await chain.mine();
const main = await recordBlocks(chain, 0, deployed.address);
await back();
await chain.call('evm_increaseTime', 60);
for (let i = 0; i < 2; i += 1) await chain.mine();
await submit(chain, contract, 2);
for (let i = 0; i < 2; i += 1) await chain.mine();
const { address, chainId, domain } = deployed;
const recorded: Recorded = {
  contract: { address, chainId, domain },
  main,
  fork: await recordBlocks(chain, 5, deployed.address),
};
writeFileSync(new URL('recorded.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`);
