export type { Environment } from './config/environment.ts';
export type { ConfiguredExtension, SectionExtension } from './config/extension.ts';
export { installedExtensions } from './config/find-extension.ts';
export { loadChainSource } from './config/load-chain-source.ts';
export { type LoadOptions, loadServerConfig } from './config/load-server-config.ts';
export type { PayloadHash } from './config/payload-hash.ts';
export { extensionSections, serverConfigSchema } from './config/sections.ts';
export {
  type ElectionSection,
  isLoopback,
  type PayloadHashName,
  payloadHashNames,
  type Scope,
  type ServerConfig,
  type ServerOptions,
  scopes,
  type TokenOptions,
  type WatcherSection,
} from './config/server-config.ts';
export { type CreateServerOptions, createServer, type MempoolServer } from './create-server.ts';
export type { HttpServerOptions, ServerParts } from './http/shared-parts.ts';
export { jsonLog } from './json-log.ts';
export { createMetrics, type Metrics } from './metrics/metrics.ts';
export type { MetricsSource } from './metrics/pool-metrics.ts';
export type { AnsweredRequest } from './metrics/process-metrics.ts';
export { Monitor, type MonitoredPool, type MonitorOptions } from './monitor/monitor.ts';
export type { BlockChange, Transition } from './monitor/recent-events.ts';
export type { Stats, StatsRange, Step } from './monitor/stats.ts';
export type { Summary } from './monitor/summary.ts';
export { type DemoOptions, startDemo } from './start-demo.ts';
export { type RunningServer, type StartServerOptions, startServer } from './start-server.ts';
