import { connect, type Socket } from 'node:net';
import { encodeMessage, type Message, MessageReader } from './intake-socket.ts';
import type { CallId } from './turn-table.ts';

/** How long a process that listens may take to say hello. */
const helloMs = 500;
/** How long a process that carries out calls may be silent. It says every 50 ms that it is alive. */
const silenceMs = 1_000;

/**
 * What came of a call that was left. `declined`: it was not carried out, and will not be. `lost`: nobody knows, the file says.
 * `record`: the outcome, as it is recorded.
 */
export type Told = { readonly record: Uint8Array } | 'declined' | 'lost';

/** The connection to the process whose turn it is. One call at a time is left there. */
export class IntakeLink {
  readonly name: string;
  readonly #socket: Socket;
  readonly #reader = new MessageReader();
  /** The last row of outcomes that this process was told of. */
  #place = 0;
  /** When it was told of that. */
  #heardAt = 0;
  #calls = 0;
  #isOpen = false;
  #onHello: (() => void) | null = null;
  #onTold: ((told: Told) => void) | null = null;
  #silence: NodeJS.Timeout | undefined;

  private constructor(name: string, socket: Socket) {
    this.name = name;
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end());
  }

  /** Connects to an intake. `null` if nobody listens there, or another than the one named. */
  static async to(path: string, name: string): Promise<IntakeLink | null> {
    const link = new IntakeLink(name, connect(path));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, helloMs);
      link.#onHello = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    link.#onHello = null;
    if (link.#isOpen) link.#socket.unref();
    else link.close();
    return link.#isOpen ? link : null;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  get place(): number {
    return this.#place;
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  /** Leaves a call. With the connection ends the call: nobody begins to carry it out after that, unless the file says so. */
  leave({ id, ids }: CallId, record: Uint8Array, giveUpMs: number): Promise<Told> {
    if (!this.#isOpen) return Promise.resolve('declined');
    this.#calls += 1;
    this.#socket.ref();
    return new Promise<Told>((resolve) => {
      const latest = setTimeout(() => this.#giveUp(), giveUpMs);
      this.#silence = setTimeout(() => this.#giveUp(), silenceMs);
      this.#onTold = (told) => {
        clearTimeout(latest);
        clearTimeout(this.#silence);
        this.#silence = undefined;
        this.#onTold = null;
        this.#socket.unref();
        resolve(told);
      };
      this.#socket.write(encodeMessage({ kind: 'call', call: this.#calls, body: [ids, id, record] }));
    });
  }

  /** An answer may be there that was not read yet. */
  #giveUp(): void {
    const call = this.#calls;
    setImmediate(() => setImmediate(() => call === this.#calls && this.#onTold !== null && this.close()));
  }

  #end(): void {
    this.#isOpen = false;
    this.#onHello?.();
    this.#onTold?.('lost');
  }

  #read(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) this.#hear(message);
    } catch {
      this.close();
    }
  }

  #learn(place: number): void {
    this.#place = place;
    this.#heardAt = performance.now();
  }

  #hear({ kind, call, body: [first, second] }: Message): void {
    this.#silence?.refresh();
    if (kind === 'alive') return;
    if (kind === 'over') {
      this.#onTold?.('declined');
      this.close();
      return;
    }
    if (kind === 'hello' && !this.#isOpen && first === this.name && Number.isSafeInteger(second)) {
      this.#learn(second as number);
      this.#isOpen = true;
      this.#onHello?.();
    } else if (this.#onTold === null || call !== this.#calls) throw new RangeError('an answer that nobody waits for');
    else if (kind === 'declined') this.#onTold('declined');
    else if (kind === 'outcome' && first instanceof Uint8Array && Number.isSafeInteger(second)) {
      this.#learn(second as number);
      this.#onTold({ record: first });
    } else throw new RangeError('no answer');
  }
}
