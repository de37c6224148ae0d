export { backUp } from './back-up.ts';
export type { FollowingNode, MempoolNode, NodeParts } from './mempool-node.ts';
export type { NodeOptions } from './node-options.ts';
export { type NodePools, type NodePoolsOptions, nodePools } from './node-pools.ts';
export { openNode } from './open-node.ts';
