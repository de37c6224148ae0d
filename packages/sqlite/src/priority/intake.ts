import { createServer, type Server, type Socket } from 'node:net';
import {
  closeToOthers,
  encodeMessage,
  largestRecord,
  type Message,
  MessageReader,
  newName,
  socketAt,
} from './intake-socket.ts';
import type { CallId } from './turn-table.ts';

/** A call that another process has left. */
export interface LeftCall extends CallId {
  readonly from: Guest;
  /** As `encodeReceiveCall` returns it. */
  readonly record: Uint8Array;
  /** Tells the outcome, as it is recorded, and the place of the last outcomes. */
  answer(record: Uint8Array, place: number): void;
  /** Tells the process to carry out its call by itself. */
  decline(): void;
}

/** The connection of another process. */
export interface Guest {
  alive(): void;
  /** Ends the connection without an answer: the process looks in the file. */
  cut(): void;
}

interface Host {
  /** The place of the last outcomes. */
  place(): number;
  take(call: LeftCall): void;
  /** The connection has ended, and with it its calls. */
  gone(guest: Guest): void;
}

const mostGuests = 256;
/** How long a connection is kept after its last message: a call that comes meanwhile must not fail before the guest has read that. */
const partingMs = 500;
const mostMessageBytes = largestRecord + 4_096;

/** Where other processes leave their calls. It is only a help: what counts is in the file. */
export class Intake {
  readonly name: string = newName();
  readonly #host: Host;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(host: Host) {
    this.#host = host;
    this.#server = createServer((socket) => this.#greet(socket));
    this.#server.maxConnections = mostGuests;
    this.#server.unref();
  }

  /** Begins to listen. `null` if that is not possible. */
  static async open(folder: string, host: Host): Promise<Intake | null> {
    const intake = new Intake(host);
    const path = socketAt(folder, intake.name) as string;
    try {
      await new Promise<void>((resolve, reject) => {
        intake.#server.once('error', reject);
        intake.#server.listen(path, resolve);
      });
      closeToOthers(path);
      intake.#server.on('error', () => undefined);
      return intake;
    } catch {
      intake.#server.close();
      return null;
    }
  }

  /** Ends all connections. `answered`: no call is carried out any more, and the guests are told so. `cut`: at once, so that they look in the file. */
  close(how: 'answered' | 'cut'): void {
    this.#server.close();
    for (const socket of this.#sockets) {
      if (how === 'cut') socket.destroy();
      else {
        socket.write(encodeMessage({ kind: 'over', call: 0, body: [] }));
        setTimeout(() => socket.destroySoon(), partingMs).unref();
      }
    }
  }

  #greet(socket: Socket): void {
    const reader = new MessageReader();
    const guest: Guest = {
      alive: () => socket.write(encodeMessage({ kind: 'alive', call: 0, body: [] })),
      cut: () => socket.destroy(),
    };
    socket.unref();
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#host.gone(guest);
    });
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.read(chunk)) this.#host.take(leftCall(message, guest, socket));
      } catch {
        socket.destroy();
      }
    });
    try {
      socket.write(encodeMessage({ kind: 'hello', call: 0, body: [this.name, this.#host.place()] }));
    } catch {
      socket.destroy();
    }
  }
}

/** @throws RangeError for another message */
function leftCall({ kind, call, body: [ids, id, record] }: Message, from: Guest, socket: Socket): LeftCall {
  if (kind !== 'call' || typeof id !== 'string' || !(record instanceof Uint8Array)) throw new RangeError('no call');
  if ((ids !== 'ops' && ids !== 'calls') || record.length > mostMessageBytes) throw new RangeError('no call');
  return {
    id,
    ids,
    record,
    from,
    answer: (outcome, place) => socket.write(encodeMessage({ kind: 'outcome', call, body: [outcome, place] })),
    decline: () => socket.write(encodeMessage({ kind: 'declined', call, body: [] })),
  };
}
