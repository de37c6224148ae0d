import { Command } from 'ioredis';
import type { Script } from './lua-script.ts';

/** An argument of a script. A plain `Uint8Array` is not allowed, because the code could not distinguish it from a `SelfWriting`. */
export type Argument = string | number | Buffer | SelfWriting;

/** An argument that writes itself into the send buffer, so that its bytes are copied once. */
export interface SelfWriting {
  readonly length: number;
  writeTo(bytes: Buffer, at: number): void;
}

type Framed = string | Buffer | SelfWriting;

const maxReusedBytes = 1024 * 1024;
/** Maximum bytes of a length, with its mark and both line ends. */
const frameBytes = 15;

/** Reuses the buffer of the largest answered call, because allocating memory costs more than writing to it. */
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
 * A script with its arguments in wire format. The client would frame and copy each argument separately, at several times the cost. The
 * arguments are copied before anything is awaited, so callers may change their bytes afterwards (M1).
 */
export class ScriptCall {
  readonly #script: Script;
  readonly #scratch: ReusedMemory;
  readonly #memory: Buffer;
  readonly #bytes: Buffer;
  /** Where the bytes of name and digest end. */
  readonly #argumentsAt: number;
  readonly #count: number;
  #sent = 0;

  constructor(script: Script, keys: readonly string[], args: readonly Argument[], scratch: ReusedMemory) {
    const given = ['EVALSHA', script.sha, String(keys.length), ...keys, ...args].map(framed);
    const { bytes, memory, argumentsAt } = write(given, (length) => scratch.take(length));
    this.#script = script;
    this.#memory = memory;
    this.#scratch = scratch;
    this.#bytes = bytes;
    this.#argumentsAt = argumentsAt;
    this.#count = given.length;
  }

  /** Returns the call as EVALSHA, for a server that has the script. */
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
   * Frees the memory for reuse. Call it after the last answer, when the server has read all of it. If the call was sent twice, the
   * memory is not reused, because the first attempt may still be waiting to be sent from it.
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

interface Written {
  readonly bytes: Buffer;
  readonly memory: Buffer;
  /** Where the second argument ends. */
  readonly argumentsAt: number;
}

function write(given: readonly Framed[], take: (length: number) => Buffer): Written {
  const lengths = given.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : each.length));
  const memory = take(lengths.reduce((sum, length) => sum + length + frameBytes, frameBytes));
  let at = writeNumber(memory, '*', given.length, 0);
  let argumentsAt = 0;
  for (const [i, each] of given.entries()) {
    if (i === 2) argumentsAt = at;
    at = writeFramed(memory, each, lengths[i] as number, at);
  }
  return { bytes: memory.subarray(0, at), memory, argumentsAt };
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

/** Writes digit by digit: a string for each number would cost as much as the rest of the argument. */
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
