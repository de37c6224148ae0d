import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A call of the node. */
export interface TappedCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node that hands calls on to another one. */
export interface TappedNode {
  readonly url: string;
  /** Is called for each call, and calls `forward` once: what it does before or after it, the caller cannot see. */
  around: (call: TappedCall, forward: () => Promise<void>) => Promise<void>;
}

/** Starts a node in front of the one with this URL, for this test alone. */
export async function startTappedNode(upstream: string): Promise<TappedNode> {
  const answerTo = async (request: IncomingMessage): Promise<string> => {
    const call = (await json(request)) as TappedCall;
    let answer = '';
    await node.around(call, async () => {
      const headers = { 'content-type': 'application/json' };
      answer = await (await fetch(upstream, { method: 'POST', headers, body: JSON.stringify(call) })).text();
    });
    return answer;
  };
  const server = createServer((request, response) => {
    // The chain may end before the last calls are answered.
    answerTo(request).then(
      (answer) => response.end(answer),
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const node: TappedNode = { url: `http://127.0.0.1:${port}`, around: (_, forward) => forward() };
  return node;
}
