export { comparable } from './comparable.ts';
export { cursorAt } from './cursor.ts';
export { type FoundRedis, findRedis, provideRedis } from './found-redis.ts';
export { freePort } from './free-port.ts';
export { readOptions } from './option-values.ts';
export { type Ended, type Running, runProgram, startProgram } from './program.ts';
export { Random, seed } from './random.ts';
export { type ClusterNode, type ClusterOptions, RedisCluster, startRedisCluster } from './redis-cluster.ts';
export { MissingRedisError, needRedisServer } from './redis-program.ts';
export { durable, RedisServer, type ServerOptions, startRedisServer } from './redis-server.ts';
export {
  fillSample,
  goOn,
  observeSample,
  repeatSample,
  reuseSample,
  type SampleKind,
  sampleOptions,
} from './sample-pool.ts';
export { runScript } from './script.ts';
export { type GroupNode, type GroupOptions, SentinelGroup, startSentinelGroup } from './sentinel-group.ts';
export { type Cut, type Held, type HeldCall, startProxy, TcpProxy } from './tcp-proxy.ts';
export { TcpRelay } from './tcp-relay.ts';
export { TurnCount } from './turns.ts';
export { runWorker } from './worker.ts';
