// Opens a pool, and prints the error.
import { sqlite } from 'mempool-sqlite';

const [path = ''] = process.argv.slice(2);
const error = await sqlite.open({ path }).catch((reason: unknown) => reason);
const { code, message } = error as Error & { readonly code: string };
console.log(JSON.stringify({ code, message }));
