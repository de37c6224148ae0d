import { ephemeral } from 'mempool-ephemeral';

// One counter for each verb and outcome, and the largest store call, as a metrics library would keep them.
const counters = new Map<string, number>();
let largest = 0;
await using pool = await ephemeral.open({
  observer: ({ verb, outcome, batch }) => {
    counters.set(`${verb} ${outcome}`, (counters.get(`${verb} ${outcome}`) ?? 0) + 1);
    largest = Math.max(largest, batch);
  },
});

const transaction = (id: string) => ({ hash: id.repeat(32), payload: new Uint8Array([1]), payloadType: 0 });
await Promise.all(['a1', 'b2', 'c3', 'a1'].map((id) => pool.submit(transaction(id))));
await pool.submit({ ...transaction('d4'), payload: new Uint8Array(2_000_000) });
await pool.markInflight('not hex').catch(() => undefined);

for (const [name, count] of counters) console.log(name, count);
console.log('largest store call:', largest);
