// Opens pools without the rights of root, and prints the code of each refusal.
import { isMempoolError } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';

const nobody = 65_534;

const [name = '', ...paths] = process.argv.slice(2);
const backend = [sqlite, sqliteExclusive].find((each) => each.name === name) ?? sqlite;
if (process.getuid?.() === 0) process.setuid?.(nobody);

const answers: string[] = [];
for (const path of paths) {
  const refused = await backend.open({ path }).then(
    () => 'opened',
    (error) => (isMempoolError(error) ? error.code : String(error)),
  );
  answers.push(refused);
}
console.log(JSON.stringify(answers));
