import { readFileSync } from 'node:fs';
import type { Deployed } from 'mempool-sequencer/evm';

/** The configuration file that the processes of one validator share. */
export interface ValidatorConfig {
  /** The name of its namespace. */
  readonly name: string;
  /** Of the network: all validators that agree with each other have the same. */
  readonly protocol: string;
  readonly market: string;
  /** Where its pools are. */
  readonly redis: string;
  /** The validator's private key: 64 hex digits. */
  readonly key: string;
  /** The slots' addresses: slot 1 is the first. */
  readonly slots: readonly string[];
  /** The contract. */
  readonly chain: Deployed;
  /** How many blocks make a block final. */
  readonly finalityBlocks: number;
  /** Ports on 127.0.0.1. */
  readonly gossipPort: number;
  readonly httpPort: number;
  /** Addresses of other validators' gateways that this one's calls. */
  readonly peers: readonly string[];
  /** How many messages a second a peer may send. */
  readonly peerRate: number;
  /** How long a claim lasts, and the leader's lease. */
  readonly claimMs: number;
  readonly leaseMs: number;
  readonly level2TimeoutMs: number;
}

export function readConfig(file: string): ValidatorConfig {
  return JSON.parse(readFileSync(file, 'utf8')) as ValidatorConfig;
}

/** The namespace of a validator's pools and records. Other names give another namespace. */
export function namespaceOf({ name, protocol, market }: Pick<ValidatorConfig, 'name' | 'protocol' | 'market'>) {
  return { protocol: joined(protocol, name), market };
}

/** The network of all validators that agree with each other. */
export function networkOf({ protocol, market }: Pick<ValidatorConfig, 'protocol' | 'market'>): string {
  return joined(protocol, market);
}

const joined = (...names: readonly string[]): string =>
  names.map((each) => each.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
