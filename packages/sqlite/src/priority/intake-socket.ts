import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from 'mempool-core/backend';
import { identityAt } from '../file/file-identity.ts';

/** Part of the scope: processes of another version of these messages do not meet. */
const version = 2;
/** The system's limit is 104 to 108 bytes. */
const maxPathBytes = 100;
const namePattern = /^[0-9a-f]{24}$/;
const headBytes = 9;
/** Larger calls are not left to others: an event loop would be blocked for long. */
export const largestRecord: number = 256 * 1024;
/** A message of more bytes is none of this library's. */
const largestBody = 4 * 1024 * 1024;

/**
 * What is sent over a socket. `hello` comes first: the name of the intake, and the place of its last outcomes. `over` comes last, if the turn
 * has ended in order: a call that has no answer by then was not carried out, and will not be.
 */
type MessageKind = 'hello' | 'call' | 'outcome' | 'declined' | 'alive' | 'over';
const kinds: readonly MessageKind[] = ['hello', 'call', 'outcome', 'declined', 'alive', 'over'];

export interface Message {
  readonly kind: MessageKind;
  /** The number of the call that it is about. */
  readonly call: number;
  readonly body: readonly unknown[];
}

/** The folder of the sockets: nobody but this user can enter it, and so nobody else can listen there. `null` if there can be none. */
export function socketFolder(): string | null {
  if (process.platform === 'win32') return '\\\\.\\pipe\\';
  const user = process.getuid?.();
  const folder = join(tmpdir(), `mempool-${user}`);
  if (Buffer.byteLength(join(folder, newName())) > maxPathBytes) return null;
  try {
    mkdirSync(folder, { mode: 0o700, recursive: false });
  } catch {
    // It is there, or it shows below that it is not.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() && found.uid === user && (found.mode & 0o077) === 0 ? folder : null;
}

/**
 * Which processes can reach each other: those that have this very file open, not a copy, with the same durability and the same folder for
 * sockets, and speak the same version.
 */
export function scopeOf(folder: string, path: string, synchronous: unknown): string {
  const parts = [version, synchronous, identityAt(path), folder, identityOf(folder)];
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 24);
}

/** In a container, a folder of the same name is another one. */
function identityOf(folder: string): string | null {
  return process.platform === 'win32' ? null : identityAt(folder);
}

/** The name of an intake cannot be guessed: only who can read the file knows it. */
export function newName(): string {
  return randomBytes(12).toString('hex');
}

/** The path of a socket; `null` if that is no name. */
export function socketAt(folder: string, name: string): string | null {
  return namePattern.test(name) ? join(folder, name) : null;
}

/** Nobody else may connect, whatever the umask. */
export function closeToOthers(path: string): void {
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

/** Removes the socket of a process that has died. */
export function removeSocket(path: string): void {
  if (process.platform !== 'win32') rmSync(path, { force: true });
}

export function encodeMessage({ kind, call, body }: Message): Buffer {
  const bytes = core.encodeValue(body);
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(bytes.length, 0);
  head.writeUInt8(kinds.indexOf(kind), 4);
  head.writeUInt32BE(call, 5);
  return Buffer.concat([head, bytes]);
}

/** Cuts what comes over a socket into messages. */
export class MessageReader {
  #parts: Buffer[] = [];
  #length = 0;

  /** @throws an error for what is no message of this library's */
  read(chunk: Buffer): Message[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    const messages: Message[] = [];
    for (let bytes = this.#neededBytes(); this.#length >= bytes; bytes = this.#neededBytes())
      messages.push(decodeMessage(this.#take(bytes)));
    return messages;
  }

  #neededBytes(): number {
    if (this.#length < headBytes) return headBytes;
    const body = this.#whole().readUInt32BE(0);
    if (body > largestBody) throw new RangeError('a message that is too long');
    return headBytes + body;
  }

  #take(bytes: number): Buffer {
    const whole = this.#whole();
    const rest = whole.subarray(bytes);
    this.#parts = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return whole.subarray(0, bytes);
  }

  /** Joined only when the head is needed: a long message comes in many chunks. */
  #whole(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] as Buffer;
  }
}

function decodeMessage(bytes: Buffer): Message {
  const kind = kinds[bytes.readUInt8(4)];
  const body = core.decodeValue('message', bytes.subarray(headBytes));
  if (kind === undefined || !Array.isArray(body)) throw new RangeError('not a message of this library');
  return { kind, call: bytes.readUInt32BE(5), body };
}
