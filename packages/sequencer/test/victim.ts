// A process that takes work of a validator and never answers for it, until a test kills it.
import { Aggregator, broadcast, Dequeuer, Finalizer, openNamespace, poolNames } from '../src/index.ts';
import { homeAt } from './home.ts';
import { optionsOf } from './validator.ts';

const [role = '', backend = '', at = '', protocol = '', ms = ''] = process.argv.slice(2);
const market = 'market';
const home = homeAt({ backend, at }, poolNames(protocol, market).control, () => Number(ms));
const namespace = await openNamespace({ ...home, protocol, market });
const { signal } = new AbortController();
const never = new Promise<never>(() => undefined);
// Without it the process would end: nothing of what it waits for ever comes.
setInterval(() => undefined, 60_000);
const own = { owner: 'victim', claimMs: 400 };
const taking: Readonly<Record<string, () => Promise<unknown>>> = {
  dequeuer: () => new Dequeuer(namespace, { ...own, verify: () => never }).run({ signal }),
  finalizer: () => new Finalizer(namespace, { ...own, count: () => never }).run({ signal }),
  sender: () => broadcast(namespace, { ...own, signal, gossip: () => never }),
  collector: () => {
    // It takes a message, and never reads the record of the epoch.
    namespace.records.read = () => never;
    return new Aggregator(namespace, optionsOf('v1')).collect({ ...own, signal });
  },
};

await taking[role]?.();
