import { expect, test } from 'vitest';
import { type Call, perform } from '../src/case/call.ts';
import { historyOptions } from '../src/histories/pool-calls.ts';
import { type Lane, serialOrder } from '../src/histories/serial.ts';
import { Model } from '../src/model/model.ts';
import { timeless } from '../src/scenario/pool.ts';

const receive: Call = { verb: 'receive', args: [[{ hash: 'aa', payload: new Uint8Array(1), payloadType: 0 }]] };
const mark: Call = { verb: 'markInflight', args: [['aa']] };

/** The calls as one node made them alone, in that order. */
async function madeBy(calls: readonly Call[]): Promise<{ model: Model; answers: Lane }> {
  const model = new Model(historyOptions);
  const answers: Lane[number][] = [];
  for (const call of calls) answers.push({ call, answer: await perform(model, call) });
  return { model, answers };
}

test('an order that explains outcomes, events and state is found', async () => {
  const { model, answers } = await madeBy([receive, mark, receive]);
  const [first, second, third] = answers;
  if (first === undefined || second === undefined || third === undefined) throw new Error('three calls were made');
  const lanes = [[third], [second], [first]];
  const events = timeless(model.eventsAfter(0));
  const found = await serialOrder(new Model(historyOptions), lanes, events, async () => true);
  expect(found?.usage()).toEqual(model.usage());
});

test('outcomes that no order gives are not explained', async () => {
  const { model, answers } = await madeBy([receive]);
  const found = await serialOrder(
    new Model(historyOptions),
    [answers, answers],
    model.eventsAfter(0),
    async () => true,
  );
  expect(found).toBeNull();
});

test('a state that no order leaves is not explained', async () => {
  const { model, answers } = await madeBy([receive]);
  const found = await serialOrder(new Model(historyOptions), [answers], model.eventsAfter(0), async () => false);
  expect(found).toBeNull();
});
