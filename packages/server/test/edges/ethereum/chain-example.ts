import { ethereumChain } from 'mempool-server';

export const chain = ethereumChain(process.env.NODE_URL ?? 'http://127.0.0.1:8546');
