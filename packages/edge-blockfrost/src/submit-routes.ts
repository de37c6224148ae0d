import { checkedCardano } from 'mempool-cardano';
import type { Mempool, ReceiveOutcome } from 'mempool-core';
import { contentTypeOf, type Gate, Problem, wrongRequest } from 'mempool-server/edge';
import type { BlockfrostCall, BlockfrostRoute } from './blockfrost-route.ts';

/** Returns the routes for submitting: that of Blockfrost, and that of the Cardano submit API, which answers 202. */
export function submitRoutes(pool: Mempool, gate: Gate): BlockfrostRoute[] {
  const submits = (path: string, status: number): BlockfrostRoute => ({
    method: 'POST',
    path,
    scope: 'submit',
    answer: async (call) => Response.json(await submitted(pool, gate, call), { status }),
  });
  return [submits('/tx/submit', 200), submits('/api/submit/tx', 202)];
}

/** A plain form of any page can send other types without asking. */
const bodyTypes: ReadonlySet<string> = new Set(['application/cbor', 'application/octet-stream']);

/** Returns the hash of the transaction of the body, which is in the pool then. */
async function submitted(pool: Mempool, gate: Gate, { request, environment, caller }: BlockfrostCall): Promise<string> {
  if (!bodyTypes.has(contentTypeOf(request, environment)))
    throw new Problem(415, 'ERR_SERVER_CONTENT_TYPE', { detail: 'Send the transaction as application/cbor.' });
  const { bytes, release } = await gate.bodies.read(request, environment, caller);
  try {
    return hashOrRefusal(await checkedCardano(pool, bytes, unfit).submit());
  } finally {
    release();
  }
}

/** @throws `Problem` 400, 413 or 425 if the pool does not have the transaction */
function hashOrRefusal(outcome: ReceiveOutcome): string {
  switch (outcome.kind) {
    case 'received':
    case 'duplicate':
      return outcome.hash;
    case 'full':
      throw new Problem(425, 'ERR_SERVER_REFUSED', { detail: 'Mempool is full, please try resubmitting again later.' });
    case 'too-large':
      throw new Problem(413, 'ERR_SERVER_REFUSED', {
        detail: `The transaction is larger than ${outcome.maxTxBytes} bytes.`,
      });
    case 'conflict':
      throw refused(
        outcome.with === null
          ? 'It spends an output that a block has spent.'
          : `It spends an output that ${outcome.with} spends, which has been sent.`,
      );
    case 'replacement-underpriced':
      throw refused('It spends an output that another one spends, and pays too little to replace it.');
    case 'limit':
      throw refused(`It is over the limit ${outcome.limit}.`);
    case 'sender-limit':
    case 'cycle':
      throw refused(`Reason: ${outcome.kind}.`);
    case 'refused':
      throw refused(outcome.log);
  }
}

function unfit(reason: string): Problem {
  return wrongRequest('payload', reason);
}

function refused(reason: string): Problem {
  return wrongRequest('payload', `The pool refuses the transaction. ${reason}`);
}
