import { createElection, inProcessElection, Leases } from 'mempool-election';

const leases = new Leases();
await using first = createElection(inProcessElection, { leases, nodeId: 'first' });
await using second = createElection(inProcessElection, { leases, nodeId: 'second' });
second.on('leader-changed', ({ leader }) => console.log(`second sees ${leader?.nodeId ?? 'nobody'}`));
await first.start();
await first.runAsLeader((_signal, term) => console.log(`first leads, in a term of its own: ${term > 0}`));
await second.start();
await first.stop();
console.log(`second leads: ${await second.campaign()}`);
