/** A server with edges in a process of its own that follows the chain of a file. It prints its URLs. SIGTERM stops it. */
import { loadServerConfig, startServer } from 'mempool-server';
import { followFile } from './file-chain.ts';

const [config = '', file = ''] = process.argv.slice(2);
const server = await startServer(await loadServerConfig(JSON.parse(config)), { source: await followFile(file) });
process.once('SIGTERM', () => void server.close());
console.log(JSON.stringify({ url: server.url, edges: server.edges }));
