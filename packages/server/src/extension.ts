// The entry `mempool-server/extension`: everything that an extension with paths of its own uses of the server.
export { z } from '@hono/zod-openapi';
export type { SectionPlace } from './config/extension.ts';
export { flag, list, maxTimerMs, optional, type SectionSchema, table, text, whole } from './config/field-forms.ts';
export type { Scope } from './config/server-config.ts';
export { defineExtension, type Extension, type ExtensionParts } from './extensions/extension.ts';
export type { Caller } from './http/access.ts';
export {
  type Call,
  type Endpoint,
  endpoint,
  type JsonEndpoint,
  json,
  jsonEndpoint,
  refusalForm,
} from './http/endpoint.ts';
export type { HubSource } from './http/event-hub.ts';
export { type EventStreams, lastEventId } from './http/event-streams.ts';
export { addressOf, type HostEnvironment, headerOf } from './http/host-environment.ts';
export { HttpListener } from './http/http-listener.ts';
export type { Opened, PoolField } from './http/opened.ts';
export { PageFile } from './http/page-file.ts';
export { notFound, Problem, type ServerErrorCode, wrongRequest } from './http/problem.ts';
export { countText, cursor, pageLimit, pageOf } from './http/schemas.ts';
export { hidden, missingPage, sent } from './http/static-files.ts';
export type { Metric } from './metrics/metric.ts';
export type { Count, CounterMetric, ExtensionMetrics } from './metrics/metrics.ts';
