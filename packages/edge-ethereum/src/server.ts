import { defineExtension, type Extension, flag, optional, portOf, table, text, whole } from 'mempool-server/edge';
import { isNodeUrl } from './node-url.ts';
import { type EthereumSection, openEthereum } from './open-ethereum.ts';

const nodeUrl = text.refine(
  isNodeUrl,
  'must be a URL that begins with http:// or https://; a % in its user name or password is written %25',
);

/** Ethereum JSON-RPC over HTTP and WebSocket: the section `[edges.ethereum]`. */
const extension: Extension<EthereumSection> = defineExtension({
  section: 'edges.ethereum',
  schema: table({
    port: portOf(8_545),
    chainId: whole(1, Number.MAX_SAFE_INTEGER).describe('The chain that transactions must be signed for.'),
    upstream: optional(nodeUrl).describe('The HTTP URL of a node that answers all other methods.'),
    upstreamFile: text.optional().describe('A file with that URL, in place of `upstream`.'),
    followsFloor: flag.default(false).describe('true: the floor of the pool is the base fee, which tips follow.'),
  }),
  open: openEthereum,
});

export default extension;
