import { resolve } from 'node:path';
import { misconfigured } from 'mempool-core/backend';
import {
  defineExtension,
  type Extension,
  list,
  maxTimerMs,
  optional,
  type SectionSchema,
  table,
  text,
  whole,
  z,
} from 'mempool-server/extension';

/** The section `[sequencer]` of a validator's processes. */
export interface RoleSection {
  readonly protocol: string;
  readonly market: string;
  /** Of this validator on its Redis. */
  readonly name: string;
  /** Hex of 32 bytes. It is in no log and no error. */
  readonly key: string;
  readonly keyFile?: string | undefined;
  /** The address of each slot, in lower case: slot 1 is the first. */
  readonly slots: readonly string[];
  readonly slotsFile?: string | undefined;
  /** Of a node of the chain. */
  readonly rpc: string;
  readonly rpcFile?: string | undefined;
  readonly contract: string;
  readonly chainId: number;
  readonly fromBlock: number;
  readonly finalityBlocks: number;
  readonly gossipHost: string;
  readonly gossipPort: number;
  readonly peers: readonly string[];
  readonly peerRate: number;
  readonly claimMs: number | null;
  readonly level2TimeoutMs: number;
  /** The HTTP API of an IPFS node; `null`: batches get their content id, and are not uploaded. */
  readonly ipfs: string | null;
  readonly ipfsFile?: string | undefined;
  /** The path of a module. */
  readonly verify: string | null;
}

const name = text.max(128, 'must have at most 128 characters');
const addressForm = /^0x[0-9a-f]{40}$/i;
const address = text.regex(addressForm, 'must be an address: 0x and 40 hex digits').toLowerCase();
const notAddresses = 'must be a list of addresses; in a file one a line';

const slots = z
  .union([z.array(z.string()), z.string().transform((lines) => lines.split(/\s+/))], notAddresses)
  .refine((all) => all.every((each) => addressForm.test(each)), notAddresses)
  .transform((all) => all.map((each) => each.toLowerCase()));

/** The schema of the section. */
const section: SectionSchema<RoleSection> = table({
  protocol: name.describe('The protocol of the epochs: the same at all validators.'),
  market: name.describe('The market of the epochs: the same at all validators.'),
  name: name.default('validator').describe('Of this validator, in the names of its pools.'),
  key: text
    .regex(/^(0x)?[0-9a-f]{64}$/i, 'must be a private key: 64 hex digits')
    .transform((given) => given.replace(/^0x/i, '').toLowerCase())
    .describe("The validator's private key. Its address is the validator's name in epochs."),
  keyFile: text.optional().describe('A file with the key, in place of `key`.'),
  slots: slots.describe('The address of each slot: slot 1 is the first.'),
  slotsFile: text.optional().describe('A file with the addresses, one a line, in place of `slots`.'),
  rpc: text.regex(/^https?:\/\//, 'must be the URL of a node').describe('The JSON-RPC of a node of the chain.'),
  rpcFile: text.optional().describe('A file with that URL, in place of `rpc`.'),
  contract: address.describe('The contract of the epochs.'),
  chainId: whole(1, Number.MAX_SAFE_INTEGER).describe('The number of the chain.'),
  fromBlock: whole(0, Number.MAX_SAFE_INTEGER).default(0).describe('The block with the contract, or an earlier one.'),
  finalityBlocks: whole(1, 10_000).default(6).describe('How many blocks make a block final.'),
  gossipHost: text.default('127.0.0.1').describe('The address on which the gateway listens for other validators.'),
  gossipPort: whole(0, 65_535).default(4430).describe('Its port; 0: a free one.'),
  peers: list(text.startsWith('/', 'must be a multiaddress, such as /ip4/10.0.0.2/tcp/4430')).describe(
    "Other validators' gateways that this one calls.",
  ),
  peerRate: whole(1, 1_000_000).default(500).describe('The most messages per second of a peer.'),
  claimMs: optional(whole(100, maxTimerMs)).describe('How long the claims of a killed process last.'),
  level2TimeoutMs: whole(100, maxTimerMs).default(10_000).describe('How long to wait for the batches of others.'),
  ipfs: optional(text.regex(/^https?:\/\//, 'must be the URL of an IPFS node')).describe(
    'The HTTP API of the IPFS node that gets the batches. Default: none.',
  ),
  ipfsFile: text.optional().describe('A file with that URL, in place of `ipfs`.'),
  verify: optional(text).describe('A module whose default export checks a submission of a slot.'),
});

/** Reads the section for the roles: the same name as that of a server which watches the epochs. */
export const roleExtension: Extension<RoleSection> = defineExtension({
  section: 'sequencer',
  schema: section,
  complete: (given, { folder, mempool }) => {
    if (mempool.backend !== 'redis') throw misconfigured('mempool.backend', 'must be redis: processes share the pools');
    return { ...given, verify: given.verify === null ? null : resolve(folder, given.verify) };
  },
  open: async () => ({}),
});

/** The namespace of a validator's pools. */
export function namespaceOf({ protocol, market, name }: Pick<RoleSection, 'protocol' | 'market' | 'name'>): {
  readonly protocol: string;
  readonly market: string;
} {
  return { protocol: joined(protocol, name), market };
}

/** The network of all validators that agree with each other. */
export function networkOf({ protocol, market }: Pick<RoleSection, 'protocol' | 'market'>): string {
  return joined(protocol, market);
}

/** Other names give another text. */
function joined(...names: readonly string[]): string {
  return names.map((each) => each.replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}
