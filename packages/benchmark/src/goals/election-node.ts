// One node of an election, in a process of its own. It reports when it leads, and hands over when it is told to.
import { createElection, type ElectionProvider } from 'mempool-election';
import { loadSubject } from '../setup/subject.ts';
import { type Message, nowMs } from './election.ts';

const [path, pool, ttl] = process.argv.slice(2) as [string, string, string];
const ttlMs = Number(ttl);
const { leases } = await loadSubject(path);
if (leases === undefined) throw new Error(`${path} has no election`);

const provider: ElectionProvider = { type: 'subject', open: () => leases(pool, { ttlMs }) };
const election = createElection(provider, { ttlMs });
election.on('acquired', () => tell('acquired'));
await election.start();
tell('started');
process.on('message', async () => {
  tell('stopping');
  await election.stop();
  await election.start();
  tell('started');
});
process.once('disconnect', () => process.exit());

function tell(kind: Message['kind']): void {
  process.send?.({ kind, atMs: nowMs() });
}
