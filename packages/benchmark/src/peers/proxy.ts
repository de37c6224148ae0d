import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that loses one reply: the server has done what it was asked, the client does not hear of it. */
export interface CutProxy {
  readonly url: string;
  /** Replies since it was armed. */
  readonly replies: number;
  readonly cut: boolean;
  /** Cuts the connection before this reply from now, the first being 1, is passed on; 0 counts only. */
  arm(reply: number): void;
  close(): Promise<void>;
}

export async function startCutProxy(serverUrl: string): Promise<CutProxy> {
  const proxy = new LossyProxy(new URL(serverUrl));
  await proxy.listen();
  return proxy;
}

class LossyProxy implements CutProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#join(client));
  #reply = 0;
  replies = 0;
  cut = false;

  constructor(target: URL) {
    this.#target = target;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `redis://127.0.0.1:${port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  arm(reply: number): void {
    this.#reply = reply;
    this.replies = 0;
    this.cut = false;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    const breakBoth = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', breakBoth);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        breakBoth();
      });
    }
    client.on('data', (request) => upstream.write(request));
    upstream.on('data', (reply) => {
      this.replies++;
      if (this.cut || this.replies !== this.#reply) return void client.write(reply);
      this.cut = true;
      breakBoth();
    });
  }
}
