import type { Conversation, Gate, Line, WebSocketProtocol } from 'mempool-server/edge';
import { sessionOf } from './http-calls.ts';
import { type JsonRpc, problemText } from './json-rpc.ts';
import type { Session } from './methods.ts';
import { type Feeds, Subscriptions } from './subscriptions.ts';
import { authorizationOf } from './token-path.ts';

/** Returns JSON-RPC and its subscriptions as a protocol of WebSockets. */
export function socketCalls(rpc: JsonRpc, gate: Gate, feeds: Feeds): WebSocketProtocol {
  return {
    authorization: ({ headers, url = '' }) => authorizationOf(headers.authorization, url),
    open: (caller, incoming, line) => conversation(rpc, sessionOf(gate, caller, { incoming }), feeds, line),
    refused: problemText,
  };
}

function conversation(rpc: JsonRpc, session: Session, feeds: Feeds, line: Line): Conversation {
  const subscriptions = new Subscriptions(feeds, (text) => line.notify(text));
  const subscribing = { ...session, subscriptions };
  return {
    answer: async (text, refusal) =>
      (await rpc.answer(text, refusal === null ? subscribing : refusing(subscribing, refusal))).text,
    get subscriptionCount() {
      return subscriptions.count;
    },
    end: () => subscriptions.end(),
  };
}

/** A session whose calls are all answered with this error. */
function refusing(session: Session, error: unknown): Session {
  const refuse = (): never => {
    throw error;
  };
  return { ...session, admit: refuse, count: refuse };
}
