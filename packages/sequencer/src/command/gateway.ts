import { createHash } from 'node:crypto';
import { addressOf, type Endpoint, endpoint, json, z } from 'mempool-server/extension';
import type { Accepted } from '../contract/submission.ts';
import { Gossip } from '../gossip/gossip.ts';
import { broadcast } from '../roles/broadcast.ts';
import type { Gateway } from '../roles/gateway.ts';
import { wordsOf } from './open-role.ts';
import type { OpenRole, RoleParts } from './role.ts';
import { networkOf } from './section.ts';

/** The HTTP status of the gateway's answer. */
const statuses = {
  received: 202,
  duplicate: 200,
  'unknown-epoch': 404,
  closed: 410,
  'too-large': 413,
  malformed: 400,
  'unknown-slot': 403,
  'unknown-validator': 403,
  'bad-signature': 403,
  quota: 429,
  'rate-limit': 429,
  full: 503,
} as const satisfies Readonly<Record<Accepted['kind'], number>>;

/** Everything that comes in, and the messages to the other validators. */
export async function openGateway({ section, name, sequencer, signal, log }: RoleParts): Promise<OpenRole> {
  const { key, gossipHost: host, gossipPort: port, peers, claimMs } = section;
  const seed = createHash('sha256').update(`peer ${key}`).digest();
  const gossip = await Gossip.open({ network: networkOf(section), seed, host, port, peers }, sequencer);
  log('info', 'gossip', { address: gossip.address });
  // The sender has its answer: a message that is not passed on now is still counted here.
  const passOn = (message: Uint8Array) =>
    gossip.sendSubmission(message).catch((error) => log('warn', 'not passed on', { error: wordsOf(error) }));
  return {
    served: { endpoints: [submissions(sequencer.gateway, passOn)] },
    run: () =>
      broadcast(sequencer.namespace, {
        ...{ owner: name, signal },
        claimMs: claimMs ?? undefined,
        gossip: (message) => gossip.sendBatch(message),
      }),
    [Symbol.asyncDispose]: () => gossip[Symbol.asyncDispose](),
  };
}

/** `POST /submissions`: a submission's message. A new one is passed to `onReceived`. */
function submissions(gateway: Gateway, onReceived: (message: Uint8Array) => Promise<void>): Endpoint {
  const answers = Object.entries(statuses).map(([kind, status]) => [status, { description: `\`kind\`: ${kind}` }]);
  return endpoint({
    method: 'post',
    path: '/submissions',
    summary: "A slot's signed submission",
    tag: 'sequencer',
    scopes: ['submit'],
    body: z.unknown(),
    answers: Object.fromEntries(answers),
    answer: async ({ body, environment }) => {
      const message = Buffer.from(JSON.stringify(body));
      const accepted = await gateway.accept(message, { peer: addressOf(environment) || 'http' });
      if (accepted.kind === 'received') await onReceived(message);
      return json(accepted, statuses[accepted.kind]);
    },
  });
}
