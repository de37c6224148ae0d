import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/** Handles one connection of a relay: passes its bytes on, or does not. */
type Carry = (client: Socket, upstream: Socket) => void;

/** Listens on a free port and opens a connection to the target for each client. `carry` decides which bytes are forwarded. */
export class TcpRelay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  /** Opens a relay. `target` is called for every new connection and returns the URL to which it leads. */
  static async open(target: () => URL, carry: Carry): Promise<TcpRelay> {
    const relay = new TcpRelay(await freePort(), target, carry);
    await relay.listen();
    return relay;
  }

  private constructor(port: number, target: () => URL, carry: Carry) {
    this.port = port;
    this.#server = createServer({ noDelay: true }, (client) => {
      const { hostname, port: to } = target();
      const upstream = connect({ host: hostname, port: Number(to || 6379), noDelay: true });
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => this.#sockets.delete(socket));
      }
      carry(client, upstream);
    });
  }

  /** Accepts connections, at once or again after `refuse`. */
  async listen(): Promise<void> {
    if (this.#server.listening) return;
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Ends every connection on both sides. */
  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends every connection, and accepts none until `listen`. */
  refuse(): void {
    this.breakAll();
    this.#server.close();
  }

  async close(): Promise<void> {
    this.breakAll();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}
