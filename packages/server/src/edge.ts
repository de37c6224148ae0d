// The entry `mempool-server/edge`: everything that an edge uses of the server.
export {
  flag,
  list,
  optional,
  portOf,
  type SectionSchema,
  table,
  text,
  whole,
} from './config/field-forms.ts';
export type { Scope, ServerOptions } from './config/server-config.ts';
export { parked } from './edges/parked.ts';
export { SeqOrder, type Waiting } from './edges/seq-order.ts';
export { WaitingList } from './edges/waiting-list.ts';
export { defineExtension, type Edge, type Extension, type ExtensionParts } from './extensions/extension.ts';
export { authorize, type Caller } from './http/access.ts';
export { EventFeed } from './http/event-feed.ts';
export type { EventHub, LiveReader, SentEvent } from './http/event-hub.ts';
export { clientKey, type Gate } from './http/gate.ts';
export type { HeldBytes } from './http/held-bytes.ts';
export { contentTypeOf, type HostEnvironment, headerOf } from './http/host-environment.ts';
export { type FetchHandler, HttpListener } from './http/http-listener.ts';
export { busy, notFound, Problem, wrongRequest } from './http/problem.ts';
export { refusalStatus } from './http/refusals.ts';
export { Slots } from './http/slots.ts';
export { stopping } from './http/waits.ts';
export type { Conversation, Line } from './http/web-socket-client.ts';
export { type WebSocketProtocol, WebSockets } from './http/web-sockets.ts';
