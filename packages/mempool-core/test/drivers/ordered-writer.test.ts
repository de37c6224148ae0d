import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OrderedWriter } from '../../src/drivers/ordered-writer.ts';

const options = { timeoutMs: 10_000, clock: () => performance.now(), signal: undefined };

test.for<readonly [what: string, before: () => Promise<string> | string]>([
  ['an answer', () => 'done'],
  ['an error', () => Promise.reject(new TypeError('as planned'))],
])(
  'M2: a write on a new connection is not overtaken, though %s of a write before it comes meanwhile',
  async ([, before]) => {
    const writer = new OrderedWriter();
    const sent: string[] = [];
    await writer.run(options, () => 'the connection is good');
    const earlier = writer.run(options, before).catch(String);
    const answer = Promise.withResolvers<string>();
    const first = writer.run(options, () => {
      writer.distrust();
      sent.push('first');
      return answer.promise;
    });
    await earlier;
    const second = writer.run(options, () => sent.push('second'));
    await turn();
    expect(sent).toEqual(['first']);
    answer.resolve('answered');
    expect(await first).toBe('answered');
    await second;
    expect(sent).toEqual(['first', 'second']);
  },
);
