import { defineExtension, type Extension, portOf, table } from 'mempool-server/edge';
import { openUtxorpc, type UtxorpcSection } from './open-utxorpc.ts';

/** UTxO RPC's service for submitting: the section `[edges.utxorpc]`. */
const extension: Extension<UtxorpcSection> = defineExtension({
  section: 'edges.utxorpc',
  schema: table({ port: portOf(50_051) }),
  open: openUtxorpc,
});

export default extension;
