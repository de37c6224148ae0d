import { Random } from '../case/random.ts';

/** One step of a history, described relative to the state it meets, so that a shortened history stays valid. */
export type LeaseStep =
  | {
      readonly verb: 'campaign';
      readonly node: number;
      /** `last`: the token that the node won with, if it still holds the lease. */
      readonly token: 'new' | 'last';
      readonly floor: 'none' | 'seen' | 'above';
      readonly dataLoss: 'wait' | 'accept';
      /** The condition of a takeover, as it was seen of the lease. `moved` and `other`: a condition that is false. */
      readonly takeover: 'none' | 'seq' | 'hbSeq' | 'moved' | 'other';
    }
  | {
      readonly verb: 'renew';
      readonly node: number;
      readonly lease: 'held' | 'own';
      readonly forge: 'none' | 'node' | 'token' | 'term';
      readonly heartbeat: 'beat' | 'still';
    }
  | {
      readonly verb: 'release';
      readonly node: number;
      readonly lease: 'held' | 'own';
      readonly forge: 'none' | 'node' | 'token' | 'term';
    }
  | { readonly verb: 'reinstate'; readonly node: number; readonly term: 'above' | 'same' }
  | { readonly verb: 'expire'; readonly node: number }
  | { readonly verb: 'heartbeat'; readonly node: number };

export type LeaseStepOf<V extends LeaseStep['verb']> = Extract<LeaseStep, { readonly verb: V }>;

const nodes = 4;

/** How often each verb comes, in a hundred steps. */
const weights: readonly (readonly [LeaseStep['verb'], number])[] = [
  ['campaign', 36],
  ['renew', 28],
  ['release', 14],
  ['reinstate', 10],
  ['expire', 4],
  ['heartbeat', 8],
];

/** Equal seeds give equal steps. */
export function makeLeaseSteps(seed: number, count: number): LeaseStep[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => makeStep(random));
}

function makeStep(random: Random): LeaseStep {
  const verb = weighted(random);
  const node = random.below(nodes);
  const lease = random.pick(['held', 'held', 'own'] as const);
  const forge = random.pick(['none', 'none', 'none', 'node', 'token', 'term'] as const);
  switch (verb) {
    case 'campaign':
      return {
        verb,
        node,
        token: random.pick(['new', 'new', 'last']),
        floor: random.pick(['none', 'seen', 'seen', 'above']),
        dataLoss: random.pick(['wait', 'accept']),
        takeover: random.pick(['none', 'none', 'none', 'seq', 'hbSeq', 'moved', 'other']),
      };
    case 'renew':
      return { verb, node, lease, forge, heartbeat: random.pick(['beat', 'still']) };
    case 'release':
      return { verb, node, lease, forge };
    case 'reinstate':
      return { verb, node, term: random.pick(['above', 'same']) };
    case 'expire':
    case 'heartbeat':
      return { verb, node };
  }
}

function weighted(random: Random): LeaseStep['verb'] {
  let ticket = random.below(100);
  for (const [verb, weight] of weights) {
    ticket -= weight;
    if (ticket < 0) return verb;
  }
  return 'campaign';
}
