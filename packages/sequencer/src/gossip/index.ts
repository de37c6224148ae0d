// The entry `mempool-sequencer/gossip`: the messages between validators over libp2p. It needs the packages of libp2p.
export { Gossip, type GossipOptions, topicsOf } from './gossip.ts';
export { Mesh, type MeshOptions, type Verdict } from './mesh.ts';
