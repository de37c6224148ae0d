import { loadServerConfig, type RunningServer, startServer } from 'mempool-server';

export async function run(path: string): Promise<RunningServer> {
  const config = await loadServerConfig({ mempool: { backend: 'sqlite', path }, server: { port: 0 } });
  const server = await startServer(config);
  console.log(`listening on ${server.url}`);
  return server;
}
