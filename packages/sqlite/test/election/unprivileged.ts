// Opens elections without the rights of root, and prints the code of each refusal.
import { isElectionError, systemClock } from 'mempool-election';
import { sqliteElection } from 'mempool-sqlite';

const nobody = 65_534;
if (process.getuid?.() === 0) process.setuid?.(nobody);

const answers: string[] = [];
for (const path of process.argv.slice(2)) {
  const options = { name: 'watcher', ttlMs: 1_000, commandTimeoutMs: 100, clock: systemClock, log: () => undefined };
  const refused = await sqliteElection.open({ ...options, path }).then(
    () => 'opened',
    (error) => (isElectionError(error) ? error.code : String(error)),
  );
  answers.push(refused);
}
console.log(JSON.stringify(answers));
