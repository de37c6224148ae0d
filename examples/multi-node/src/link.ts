/** A node's way to Redis, a TCP proxy that can be cut and slowed down without either side being told. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type State = { readonly kind: 'open' } | { readonly kind: 'cut' } | { readonly kind: 'slow'; readonly delayMs: number };

const host = '127.0.0.1';

export class Link implements AsyncDisposable {
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: State = { kind: 'open' };

  static async open(serverUrl: string): Promise<Link> {
    const link = new Link(serverUrl);
    await once(link.#server.listen(0, host), 'listening');
    return link;
  }

  private constructor(serverUrl: string) {
    this.#target = new URL(serverUrl);
    this.#server = createServer((client) => this.#join(client));
  }

  /** What the node connects to. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `${host}:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Nothing passes any more in either direction. */
  cut(): void {
    this.#state = { kind: 'cut' };
  }

  /** Everything passes so much later. */
  slow(delayMs: number): void {
    this.#state = { kind: 'slow', delayMs };
  }

  /** As new. What there was is broken off: bytes that were lost or held up must not be followed by others. */
  heal(): void {
    this.#state = { kind: 'open' };
    this.#breakAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#breakAll();
    await new Promise((done) => this.#server.close(done));
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 6379), this.#target.hostname);
    this.#carry(client, upstream);
    this.#carry(upstream, client);
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => this.#pass(to, bytes));
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      // Whoever is cut off does not hear that the other one has gone.
      if (this.#state.kind !== 'cut') to.destroy();
    });
  }

  #pass(to: Socket, bytes: Buffer): void {
    switch (this.#state.kind) {
      case 'open':
        to.write(bytes);
        return;
      case 'cut':
        return;
      case 'slow':
        setTimeout(() => to.writable && to.write(bytes), this.#state.delayMs);
    }
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
