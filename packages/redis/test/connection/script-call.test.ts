import { Command } from 'ioredis';
import { expect, test } from 'vitest';
import { scripts } from '../../src/connection/script.ts';
import { type Argument, ReusedMemory, ScriptCall } from '../../src/connection/script-call.ts';
import { BodyRecord } from '../../src/pool/record.ts';

const script = scripts.receive;
const keys = ['{pool}:meta', '{pöol}:idx'];

function written(command: Command): Buffer {
  return Buffer.from(command.toWritable({}));
}

function filledWith(byte: number, length: number): Argument[] {
  return [Buffer.alloc(length, byte)];
}

test('a call goes over the wire as the client would send it, whatever the lengths of its arguments', () => {
  const lengths = [0, 1, 9, 10, 99, 100, 101, 999, 1_000, 9_999, 10_000, 99_999, 100_000, 1_048_576];
  const args = ['', 'ünïcode', 0, 7, 1e15, 'x'.repeat(300), ...lengths.map((length) => Buffer.alloc(length, length))];
  const call = new ScriptCall(script, keys, args, new ReusedMemory());
  const rest = ['2', ...keys, ...args];
  const encoding = { replyEncoding: null };
  expect(written(call.byDigest())).toEqual(written(new Command('EVALSHA', [script.sha, ...rest], encoding)));
  expect(written(call.inFull())).toEqual(written(new Command('EVAL', [script.source, ...rest], encoding)));
});

test('M2: a record on the wire is its type, the checksum of its payload and the payload', () => {
  const payload = Buffer.from('123456789');
  const call = new ScriptCall(script, [], [new BodyRecord({ payload, payloadType: 0xa1b2 })], new ReusedMemory());
  const record = Buffer.concat([Buffer.from('a1b2cbf43926', 'hex'), payload]);
  const same = new ScriptCall(script, [], [record], new ReusedMemory());
  expect(written(call.byDigest())).toEqual(written(same.byDigest()));
});

test('the memory of an answered call is used again, and by one call at a time', () => {
  const scratch = new ReusedMemory();
  const first = new ScriptCall(script, keys, filledWith(1, 50_000), scratch);
  const memory = first.byDigest().toWritable({}) as Buffer;
  first.end();
  const calls = [2, 3].map((byte) => new ScriptCall(script, keys, filledWith(byte, 50_000), scratch));
  const [second, third] = calls.map((call) => call.byDigest().toWritable({}) as Buffer);
  expect(second?.buffer).toBe(memory.buffer);
  expect(third?.buffer).not.toBe(memory.buffer);
});

test('X2: the bytes of a call that was sent twice stay: the first attempt may still be on its way', () => {
  const scratch = new ReusedMemory();
  const first = new ScriptCall(script, keys, filledWith(1, 50_000), scratch);
  const onItsWay = first.byDigest().toWritable({}) as Buffer;
  const before = Buffer.from(onItsWay);
  first.byDigest();
  first.end();
  new ScriptCall(script, keys, filledWith(2, 50_000), scratch).byDigest();
  expect(onItsWay).toEqual(before);
});

test('X2: the bytes of a call that was not answered stay', () => {
  const scratch = new ReusedMemory();
  const first = new ScriptCall(script, keys, filledWith(1, 50_000), scratch);
  const onItsWay = first.byDigest().toWritable({}) as Buffer;
  const before = Buffer.from(onItsWay);
  new ScriptCall(script, keys, filledWith(2, 50_000), scratch).byDigest();
  expect(onItsWay).toEqual(before);
});
