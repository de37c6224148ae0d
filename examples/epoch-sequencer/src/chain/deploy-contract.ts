import { compile, type DevChain, devChainId } from 'evm-chain';
import { abi, type Deployed, domainOf } from 'mempool-sequencer/evm';
import { createPublicClient, createWalletClient, getContractAddress, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Options of `deployContract`. */
export interface DeployOptions {
  /** The private key of whoever releases epochs. The account needs money. */
  readonly owner: Hex;
  /** `protocol:market`. */
  readonly name: string;
  /** How long a validator's turn lasts; default 2. */
  readonly turnSeconds?: number | undefined;
}

/** Puts the contract on a development chain, in a block of its own. The compiler is installed the first time. */
export async function deployContract(
  chain: DevChain,
  { owner, name, turnSeconds = 2 }: DeployOptions,
): Promise<Deployed> {
  const account = privateKeyToAccount(owner);
  const transport = http(chain.url);
  const nonce = await createPublicClient({ transport }).getTransactionCount({ address: account.address });
  await createWalletClient({ account, transport }).deployContract({
    abi,
    bytecode: compile(new URL('EpochSequencer.sol', import.meta.url), 'EpochSequencer'),
    args: [name, BigInt(turnSeconds)],
    chain: null,
    nonce,
  });
  await chain.mine();
  const address = getContractAddress({ from: account.address, nonce: BigInt(nonce) }).toLowerCase() as Hex;
  return {
    url: chain.url,
    address,
    chainId: devChainId,
    domain: domainOf({ chainId: devChainId, contract: address, name }),
  };
}
