import type { EdgesSection } from '../config/server-config.ts';
import type { SharedParts } from '../http/http-server.ts';
import type { Edge, OpenEdge } from './edge.ts';

/** The name of an edge in the configuration. */
export type EdgeName = keyof EdgesSection;

type Opener<Name extends EdgeName> = OpenEdge<NonNullable<EdgesSection[Name]>>;

/** Loaded only if the edge is on: some need large libraries. */
const openers: { readonly [Name in EdgeName]: () => Promise<Opener<Name>> } = {
  blockfrost: async () => (await import('./blockfrost/blockfrost.ts')).openBlockfrost,
  ethereum: async () => (await import('./ethereum/open-ethereum.ts')).openEthereum,
  cometbft: async () => (await import('./cometbft/cometbft.ts')).openCometBft,
  utxorpc: async () => (await import('./utxorpc/open-utxorpc.ts')).openUtxorpc,
};

/** Opens all enabled edges. If one fails, it opens none. @throws the errors of `OpenEdge` */
export async function openEdges(parts: SharedParts, sections: EdgesSection): Promise<ReadonlyMap<EdgeName, Edge>> {
  const edges = new Map<EdgeName, Edge>();
  try {
    for (const name of Object.keys(openers) as EdgeName[]) {
      const edge = await opened(name, parts, sections);
      if (edge !== null) edges.set(name, edge);
    }
    return edges;
  } catch (error) {
    for (const edge of edges.values()) await edge.stop(Promise.resolve(), 0);
    throw error;
  }
}

async function opened<Name extends EdgeName>(
  name: Name,
  parts: SharedParts,
  sections: EdgesSection,
): Promise<Edge | null> {
  const section = sections[name];
  if (section === null) return null;
  const open = await openers[name]();
  return open(parts, section);
}
