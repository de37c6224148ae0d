/** A development chain to try the relayer with, and signed transactions of its first account. */
import { startDevChain } from 'evm-chain';
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const chain = await startDevChain({ port: 8_545, blockMs: 2_000 });
console.log(chain.url);
for (let nonce = 0; nonce < 3; nonce += 1)
  console.log(
    await account.signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce,
      to: account.address,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    }),
  );
