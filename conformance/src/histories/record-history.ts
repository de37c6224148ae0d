import type { PutOptions } from 'mempool-core';
import type { CaseContext } from '../case/case.ts';
import type { Random } from '../case/random.ts';
import { RecordModel } from '../model/records.ts';
import { timeless } from '../scenario/records.ts';
import { assertSame } from './difference.ts';

/** Of several lengths and planes, so that an order by UTF-16 differs from that by UTF-8. */
const names = ['a', 'a/', 'a/b', 'a/b/c', 'b', 'ab', 'ü', '～', '😀', '😀/b', '\u0000', 'z'] as const;

/** One call of `putRecord`, as data. */
interface Put extends PutOptions {
  readonly name: string;
  readonly value: Uint8Array | null;
}

function randomPut(random: Random, model: RecordModel): Put {
  const name = random.pick(names);
  const present = model.get(name)?.version ?? 0;
  const version = random.pick([undefined, undefined, present, present, present + 1, 0]);
  const value = random.below(4) === 0 ? null : random.bytes(random.below(6));
  return { name, value, version };
}

/** Makes random puts, some of them again under their operation ids, and compares all that can be read with a model. */
export async function checkRecords({ random, open, capabilities }: CaseContext, steps: number): Promise<void> {
  const model = new RecordModel();
  const named: Put[] = [];
  let store = await open();
  for (let step = 0; step < steps; step++) {
    const repeated = random.below(8) === 0 ? named[random.below(named.length + 1)] : undefined;
    const operationId = random.below(4) === 0 ? `put ${named.length}` : undefined;
    const { name, value, ...options } = repeated ?? { ...randomPut(random, model), operationId };
    if (options.operationId !== undefined) named.push({ name, value, ...options });
    const due = model.put(name, value, options);
    assertSame(timeless(await store.putRecord(name, value, options)), timeless(due), 'the outcome is not the one due');
    assertSame(await store.getRecord(name), model.get(name), 'the record is not the one due');
    const prefix = random.pick(['', '', 'a', 'a/', '😀', name]);
    const after = random.pick(['', ...names]);
    const limit = 1 + random.below(names.length);
    const { records: told } = await store.listRecords(prefix, { after, limit });
    assertSame(told, model.list(prefix, { after, limit }), 'the records are not those due');
    if (!capabilities.durable || random.below(20) > 0) continue;
    await store.close();
    store = await open();
  }
}
