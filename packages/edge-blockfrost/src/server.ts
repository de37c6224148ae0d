import { defineExtension, type Extension, portOf, table } from 'mempool-server/edge';
import { type BlockfrostSection, openBlockfrost } from './open-blockfrost.ts';

/** Blockfrost and the Cardano submit API: the section `[edges.blockfrost]`. */
const extension: Extension<BlockfrostSection> = defineExtension({
  section: 'edges.blockfrost',
  schema: table({ port: portOf(3_000) }),
  open: openBlockfrost,
});

export default extension;
