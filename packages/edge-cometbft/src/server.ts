import { defineExtension, type Extension, portOf, table, text } from 'mempool-server/edge';
import { type CometBftSection, openCometBft } from './open-cometbft.ts';

const chainId = text.regex(/^[!-~]{1,50}$/, 'must be 1–50 printable ASCII characters without spaces');

/** CometBFT's RPC: the section `[edges.cometbft]`. */
const extension: Extension<CometBftSection> = defineExtension({
  section: 'edges.cometbft',
  schema: table({
    port: portOf(26_657),
    chainId: chainId.default('mempool').describe('The id of the chain, by which clients sign.'),
  }),
  open: openCometBft,
});

export default extension;
