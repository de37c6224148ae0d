import { altoSteps, openAlto } from './alto.ts';
import type { Peer } from './peer.ts';

export const altoMemory: Peer = {
  name: 'Alto, memory',
  package: '@pimlico/alto',
  lacks: 'no blocks, roll-back or events; what is in flight is a set of hashes',
  open: async ({ folder }) => ({ ...altoSteps(await openAlto(folder, {})), close: async () => undefined }),
};
