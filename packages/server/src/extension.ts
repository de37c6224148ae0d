// The entry `mempool-server/extension`: everything that an extension with paths of its own uses of the server.

export { table } from './config/field-forms.ts';
export { defineExtension, type Extension, type ExtensionParts } from './extensions/extension.ts';
export type { Endpoint } from './http/endpoint.ts';
export type { Opened, PoolField } from './http/opened.ts';
export { PageFile } from './http/page-file.ts';
export { hidden, missingPage, sent } from './http/static-files.ts';
export type { Count, CounterMetric, ExtensionMetrics } from './metrics/metrics.ts';
