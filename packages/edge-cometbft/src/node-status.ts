import { hash } from 'node:crypto';
import type { ChainPoint } from 'mempool-core';

/** Clients choose their dialect by this version. */
const version = '0.38.17';
/** Clients refuse an empty hash and an empty time. */
const noHash = '0'.repeat(64);
const noTime = '1970-01-01T00:00:00Z';

/** The data of the status. */
export interface StatusParts {
  /** The chain's id, which clients sign. */
  readonly chainId: string;
  readonly epoch: string;
  readonly tip: ChainPoint | null;
  /** The address of the RPC, such as `tcp://127.0.0.1:26657`. */
  readonly rpcAddress: string;
}

/**
 * Returns the answer of `status`. The pool takes the place of a node, and the height is the slot of the pool's last block.
 * There are no peers, no validator and no application, so their fields are empty or zero.
 */
export function nodeStatus({ chainId, epoch, tip, rpcAddress }: StatusParts): object {
  const id = hash('sha256', epoch, 'hex').slice(0, 40);
  return {
    node_info: {
      protocol_version: { p2p: '8', block: '11', app: '0' },
      id,
      listen_addr: 'tcp://127.0.0.1:0',
      network: chainId,
      version,
      channels: '',
      moniker: 'mempool',
      other: { tx_index: 'on', rpc_address: rpcAddress },
    },
    sync_info: {
      latest_block_hash: tip?.hash.toUpperCase() ?? noHash,
      latest_app_hash: noHash,
      latest_block_height: String(tip?.slot ?? 0),
      latest_block_time: noTime,
      earliest_block_hash: '',
      earliest_app_hash: '',
      earliest_block_height: '0',
      earliest_block_time: noTime,
      catching_up: false,
    },
    validator_info: {
      address: '0'.repeat(40),
      pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32).toString('base64') },
      voting_power: '0',
    },
  };
}

/** Returns the answer of `abci_info`: there is no application, so it says how far the pool is. */
export function abciInfo(tip: ChainPoint | null): object {
  const height = String(tip?.slot ?? 0);
  const nothing = { version: '', app_version: '0', last_block_app_hash: null };
  return { response: { data: 'mempool', last_block_height: height, ...nothing } };
}

/** The answer of `net_info`: a pool has no peers of CometBFT's network. */
export const netInfo = { listening: false, listeners: [], n_peers: '0', peers: [] } as const;
