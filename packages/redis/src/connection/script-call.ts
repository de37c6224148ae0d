import { Command } from 'ioredis';
import type { Script } from './script.ts';

/** Not a bare `Uint8Array`, which is not told from what writes itself. */
export type Argument = string | number | Buffer | SelfWriting;

/** An argument that is put together where it is sent from, so that its bytes are copied once. */
export interface SelfWriting {
  readonly length: number;
  writeTo(bytes: Buffer, at: number): void;
}

type Framed = string | Buffer | SelfWriting;

const maxReusedBytes = 1024 * 1024;
/** The most that a length takes, with its mark and both ends of lines. */
const frameBytes = 15;

/** The memory of the largest call that was answered, used again: to get new memory costs more than to write into it. */
export class ReusedMemory {
  #free: Buffer | null = null;

  take(length: number): Buffer {
    const free = this.#free;
    if (free === null || free.length < length) return Buffer.allocUnsafe(length);
    this.#free = null;
    return free;
  }

  give(memory: Buffer): void {
    const kept = this.#free?.length ?? 0;
    if (memory.length > kept && memory.length <= maxReusedBytes) this.#free = memory;
  }
}

/**
 * A script with its arguments as they go over the wire. The client would frame and copy each argument apart, at several times the
 * cost; and what is written before anything is waited for stays as it is, whatever the caller does with his bytes (M1).
 */
export class ScriptCall {
  readonly #script: Script;
  readonly #scratch: ReusedMemory;
  readonly #memory: Buffer;
  readonly #bytes: Buffer;
  /** Where the name and the digest end. */
  readonly #argumentsAt: number;
  readonly #count: number;
  #sent = 0;

  constructor(script: Script, keys: readonly string[], args: readonly Argument[], scratch: ReusedMemory) {
    const given = ['EVALSHA', script.sha, String(keys.length), ...keys, ...args].map(framed);
    const lengths = given.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : each.length));
    const bytes = scratch.take(lengths.reduce((sum, length) => sum + length + frameBytes, frameBytes));
    let at = writeNumber(bytes, '*', given.length, 0);
    let argumentsAt = 0;
    for (const [i, each] of given.entries()) {
      if (i === 2) argumentsAt = at;
      at = writeFramed(bytes, each, lengths[i] as number, at);
    }
    this.#script = script;
    this.#memory = bytes;
    this.#scratch = scratch;
    this.#bytes = bytes.subarray(0, at);
    this.#argumentsAt = argumentsAt;
    this.#count = given.length;
  }

  /** For a server that has the script. */
  byDigest(): Command {
    this.#sent += 1;
    return new WrittenCommand('EVALSHA', this.#bytes);
  }

  inFull(): Command {
    this.#sent += 1;
    const { source } = this.#script;
    const head = `*${this.#count}\r\n$4\r\nEVAL\r\n$${Buffer.byteLength(source)}\r\n${source}\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), this.#bytes.subarray(this.#argumentsAt)]);
    return new WrittenCommand('EVAL', bytes);
  }

  /**
   * Of a call that was answered: the server has read all of it. Of one that was sent twice the first attempt may still be on its way,
   * out of the same memory.
   */
  end(): void {
    if (this.#sent === 1) this.#scratch.give(this.#memory);
  }
}

class WrittenCommand extends Command {
  readonly #bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    super(name, [], { replyEncoding: null });
    this.#bytes = bytes;
  }

  override toWritable(): Buffer {
    return this.#bytes;
  }
}

function framed(given: Argument): Framed {
  return typeof given === 'number' ? String(given) : given;
}

function writeFramed(bytes: Buffer, given: Framed, length: number, at: number): number {
  const from = writeNumber(bytes, '$', length, at);
  if (typeof given === 'string') bytes.write(given, from);
  else if (Buffer.isBuffer(given)) bytes.set(given, from);
  else given.writeTo(bytes, from);
  return writeEnd(bytes, from + length);
}

/** Digit by digit: a text for each would cost as much as all the rest of the argument. */
function writeNumber(bytes: Buffer, mark: '*' | '$', number: number, at: number): number {
  bytes[at] = mark.charCodeAt(0);
  let end = at + 2;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  for (let rest = number, i = end - 1; i > at; rest = Math.floor(rest / 10), i -= 1) bytes[i] = 48 + (rest % 10);
  return writeEnd(bytes, end);
}

function writeEnd(bytes: Buffer, at: number): number {
  bytes[at] = 13;
  bytes[at + 1] = 10;
  return at + 2;
}
