import { ConnectError, createPromiseClient, type PromiseClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { CardanoSubmitClient } from '@utxorpc/sdk';
import { submit, submitConnect } from '@utxorpc/spec/lib/index.mjs';
import type { RunningServer } from 'mempool-server';
import { payment } from '../../server/test/edges/payment.ts';

/** A client of the service for submitting. */
export type SubmitClient = PromiseClient<typeof submitConnect.SubmitService>;

/** How clients reach the service. */
export const transports = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl, httpVersion: '2' }),
  'gRPC-Web over HTTP/1.1': (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web over HTTP/2': (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
  'Connect over HTTP/1.1': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect over HTTP/2': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '2' }),
  'Connect with JSON': (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
} as const;

export type TransportName = keyof typeof transports;

export const transportNames = Object.keys(transports) as TransportName[];

/** The URL of the edge, which must be on. */
export function edgeUrl({ edges }: Pick<RunningServer, 'edges'>): string {
  if (edges.utxorpc === undefined) throw new Error('the edge is off');
  return edges.utxorpc;
}

export function clientOf(url: string, transport: TransportName = 'gRPC'): SubmitClient {
  return createPromiseClient(submitConnect.SubmitService, transports[transport](url));
}

/** The client that wallets use. */
export function sdkOf(uri: string, headers?: Record<string, string>): CardanoSubmitClient {
  return new CardanoSubmitClient(headers === undefined ? { uri } : { uri, headers });
}

export function rawTx(...payloads: readonly Uint8Array[]): submit.AnyChainTx[] {
  return payloads.map((payload) => new submit.AnyChainTx({ type: { case: 'raw', value: new Uint8Array(payload) } }));
}

export const { Stage } = submit;

/** A transaction that no other number gives. */
export function paymentOf(number: number): Uint8Array {
  return payment({ inputs: [{ hash: number.toString(16).padStart(64, '0'), index: 0 }] });
}

export function hashOf(ref: Uint8Array): string {
  return Buffer.from(ref).toString('hex');
}

/** The first message of a stream that tells only of what comes after its start: makes news until there is one. */
export async function opened<T>(stream: AsyncIterable<T>, makeNews: () => Promise<void>): Promise<IteratorResult<T>> {
  const iterator = stream[Symbol.asyncIterator]();
  let first: IteratorResult<T> | null = null;
  const next = iterator.next().then((result) => {
    first = result;
    return result;
  });
  while (first === null) {
    await makeNews();
    await Promise.race([next, new Promise((resolve) => setImmediate(resolve))]);
  }
  await iterator.return?.();
  return next;
}

/** The error that a call ends with. */
export async function fails(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ConnectError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
}

/** All messages of a stream. */
export async function messages<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const message of stream) all.push(message);
  return all;
}
