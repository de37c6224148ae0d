import { constants } from 'node:http2';
import type { UniversalServerResponse } from '@connectrpc/connect/protocol';
import type { RpcResponse } from './rpc-port.ts';

/** A client that does not take `sliceBytes` in so long is cut off. */
const stuckMs = 30_000;
/** A message may have many megabytes, for which a slow client that reads on needs longer. */
const sliceBytes = 2 ** 20;

/** Returns the answer of Connect, which cuts off a client that does not read it. */
export function watched(answered: UniversalServerResponse, response: RpcResponse): UniversalServerResponse {
  return answered.body === undefined ? answered : { ...answered, body: watchedBytes(answered.body, response) };
}

/** The bytes of an answer. Connect asks for the next ones when the connection has taken those before. */
async function* watchedBytes(body: AsyncIterable<Uint8Array>, response: RpcResponse): AsyncGenerator<Uint8Array, void> {
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    timer = setTimeout(() => cutOff(response), stuckMs);
  };
  response.once('close', () => clearTimeout(timer));
  for await (const bytes of body)
    for (let from = 0; from < bytes.length; from += sliceBytes) {
      watch();
      yield bytes.subarray(from, from + sliceBytes);
      clearTimeout(timer);
    }
  if (!response.writableFinished) watch();
}

/** Ends an answer at once. */
export function cutOff(response: RpcResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_CANCEL);
  else response.destroy();
}
