// Opens a pool, says so, waits for one event with nothing else to do, and prints its number.
import { sqlite } from 'mempool-sqlite';

const [path = ''] = process.argv.slice(2);
const store = await sqlite.open({ path });
const events = await store.subscribe();
console.log('listening');
for await (const event of events) {
  console.log(event.kind === 'lagged' ? 'lagged' : event.eventSeq);
  break;
}
await store.close();
