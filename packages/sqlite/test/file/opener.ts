// Opens pools or elections without the rights of root, and prints the code of each refusal.
import { isMempoolError } from 'mempool-core';
import { isElectionError, systemClock } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';

const nobody = 65_534;

const [name = '', ...paths] = process.argv.slice(2);
if (process.getuid?.() === 0) process.setuid?.(nobody);

function open(path: string): Promise<unknown> {
  if (name !== 'sqliteElection') return sqlite.open({ path });
  const agreed = { name: 'watcher', ttlMs: 1_000, commandTimeoutMs: 100, clock: systemClock, log: () => undefined };
  return sqliteElection.open({ ...agreed, path });
}

const answers: string[] = [];
for (const path of paths) {
  const refused = await open(path).then(
    () => 'opened',
    (error) => (isMempoolError(error) || isElectionError(error) ? error.code : String(error)),
  );
  answers.push(refused);
}
console.log(JSON.stringify(answers));
