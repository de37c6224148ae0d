import { ethereumChain } from 'mempool-edge-ethereum/chain';

export const chain = ethereumChain(process.env.NODE_URL ?? 'http://127.0.0.1:8546');
