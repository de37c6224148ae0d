// The entry `mempool-server/extension`: everything that an extension with paths of its own uses of the server.
export { z } from '@hono/zod-openapi';
export type { SectionPlace } from './config/extension.ts';
export { maxTimerMs, optional, type SectionSchema, table, text, whole } from './config/field-forms.ts';
export { defineExtension, type Extension, type ExtensionParts } from './extensions/extension.ts';
export { type Endpoint, type JsonEndpoint, jsonEndpoint } from './http/endpoint.ts';
export type { Opened, PoolField } from './http/opened.ts';
export { PageFile } from './http/page-file.ts';
export { notFound, wrongRequest } from './http/problem.ts';
export { cursor, pageLimit } from './http/schemas.ts';
export { hidden, missingPage, sent } from './http/static-files.ts';
export type { Metric } from './metrics/metric.ts';
export type { Count, CounterMetric, ExtensionMetrics } from './metrics/metrics.ts';
