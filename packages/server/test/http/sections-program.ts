/** A server in a process of its own, by the sections of its configuration as JSON. It prints its URL. SIGTERM stops it. */
import { loadServerConfig, startServer } from 'mempool-server';

const config = await loadServerConfig(JSON.parse(process.argv[2] ?? ''), { server: { port: 0 } });
const server = await startServer(config);
process.once('SIGTERM', () => void server.close());
console.log(server.url);
