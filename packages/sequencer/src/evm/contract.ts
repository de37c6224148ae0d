import type { ChainPoint } from 'mempool-core';
import {
  BaseError,
  BlockNotFoundError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type ParseAbi,
  type PublicClient,
  parseAbi,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const signatures = [
  'event Released(uint64 indexed epoch, uint64 closesAt, address[] validators)',
  'event Agreed(uint64 indexed epoch, bytes32 root)',
  'error NotOwner()',
  'error BadValidators()',
  'error AlreadyReleased()',
  'error BadWindow()',
  'error UnknownEpoch()',
  'error AlreadyAgreed(bytes32 root)',
  'error NotYourTurn(address turn)',
  'error BadSignature(uint256 index)',
  'error NoQuorum(uint256 signers, uint256 needed)',
  'constructor(string name, uint256 turn)',
  'function domain() view returns (bytes32)',
  'function turnSeconds() view returns (uint256)',
  'function release(uint64 epoch, uint64 closesAt, address[] validators)',
  'function submit(uint64 epoch, bytes32 root, bytes[] signatures)',
  'function turnOf(uint64 epoch) view returns (address)',
  'function epochOf(uint64 epoch) view returns (bytes32 root, uint64 closesAt, address[] validators)',
] as const;

/** Of `EpochSequencer.sol`. */
export const abi: ParseAbi<typeof signatures> = parseAbi(signatures);

/** A contract on a chain. */
export interface Deployed {
  /** Of a node of the chain. */
  readonly url: string;
  readonly address: Hex;
  readonly chainId: number;
  /** Hex of 32 bytes, without `0x`: the contract's `domain`. */
  readonly domain: string;
}

/** An epoch to release. */
export interface Release {
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly closesAt: number;
  /** Addresses. */
  readonly validators: readonly string[];
}

/** Sends the transaction that releases an epoch. It is not waited for. Returns its hash. @throws an error of viem */
export function releaseEpoch(deployed: Deployed, owner: Hex, { epoch, closesAt, validators }: Release): Promise<Hex> {
  const wallet = createWalletClient({ account: privateKeyToAccount(owner), transport: http(deployed.url) });
  return wallet.writeContract({
    address: deployed.address,
    abi,
    functionName: 'release',
    args: [BigInt(epoch), BigInt(closesAt), validators.toSorted() as Hex[]],
    chain: null,
    gas: 1_000_000n,
  });
}

/** An event of the contract, with its block. */
export type ContractEvent = { readonly transaction: string; readonly slot: number } & (
  | ({ readonly kind: 'released' } & Release)
  | { readonly kind: 'agreed'; readonly epoch: number; readonly root: string }
);

/** A root with the signatures of a quorum, as hex of 32 and of 65 bytes. */
export interface SignedRoot {
  readonly epoch: number;
  readonly root: string;
  /** In the ascending order of the signers. */
  readonly signatures: readonly string[];
}

/** Reads a deployed contract. */
export class EpochContract {
  readonly deployed: Deployed;
  readonly client: PublicClient;

  constructor(deployed: Deployed) {
    this.deployed = deployed;
    this.client = createPublicClient({ transport: http(deployed.url, { retryCount: 0 }), cacheTime: 0 });
  }

  /** The events of these blocks, in order. Hashes and roots have no `0x`. @throws an error of viem */
  async events(fromBlock: number, toBlock: number): Promise<ContractEvent[]> {
    const logs = await this.client.getContractEvents({
      address: this.deployed.address,
      abi,
      fromBlock: BigInt(fromBlock),
      toBlock: BigInt(toBlock),
      strict: true,
    });
    return logs.map(({ eventName, args, transactionHash, blockNumber }): ContractEvent => {
      const place = { transaction: transactionHash.slice(2), slot: Number(blockNumber), epoch: Number(args.epoch) };
      if (eventName === 'Agreed') return { kind: 'agreed', ...place, root: args.root.slice(2) };
      const validators = args.validators.map((each) => each.toLowerCase());
      return { kind: 'released', ...place, closesAt: Number(args.closesAt), validators };
    });
  }

  /** The call that submits a root. */
  submitData({ epoch, root, signatures }: SignedRoot): Hex {
    return encodeFunctionData({ abi, functionName: 'submit', args: argumentsOf({ epoch, root, signatures }) });
  }

  /**
   * Tries a submission in the next block. Returns the name of the error with which the contract would revert, such as `NotYourTurn`;
   * `null` if it would take it. @throws an error of viem if the node does not answer
   */
  async wouldRevert(signed: SignedRoot, from: string): Promise<string | null> {
    try {
      await this.client.simulateContract({
        address: this.deployed.address,
        abi,
        functionName: 'submit',
        args: argumentsOf(signed),
        account: from as Hex,
        blockTag: 'pending',
      });
      return null;
    } catch (error) {
      const revert = error instanceof BaseError ? error.walk((e) => e instanceof ContractFunctionRevertedError) : null;
      if (revert instanceof ContractFunctionRevertedError) return revert.data?.errorName ?? 'reverted';
      throw error;
    }
  }

  /** The root that an epoch has on the chain, after this block if it is named; `null`: none. */
  async rootOf(epoch: number, blockNumber?: number): Promise<string | null> {
    const [root] = await this.client.readContract({
      address: this.deployed.address,
      abi,
      functionName: 'epochOf',
      args: [BigInt(epoch)],
      ...(blockNumber !== undefined && { blockNumber: BigInt(blockNumber) }),
    });
    return BigInt(root) === 0n ? null : root.slice(2);
  }

  /** True if the node's chain has this block now. @throws an error of viem if the node does not answer */
  async isOnChain({ slot, hash }: ChainPoint): Promise<boolean> {
    try {
      return (await this.client.getBlock({ blockNumber: BigInt(slot) })).hash === `0x${hash}`;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return false;
      throw error;
    }
  }
}

function argumentsOf({ epoch, root, signatures }: SignedRoot): [bigint, Hex, Hex[]] {
  return [BigInt(epoch), withPrefix(root), signatures.map(withPrefix)];
}

function withPrefix(hex: string): Hex {
  return hex.startsWith('0x') ? (hex as Hex) : `0x${hex}`;
}
