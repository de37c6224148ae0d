import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './server.ts';

/** Where the next call is cut: before it reaches the server, when it has, or when the server has answered it. */
export type Cut = 'before the request' | 'after the request' | 'before the reply';

/** A TCP proxy that breaks connections: what a network does, done on purpose. */
export interface TcpProxy {
  readonly url: string;
  /** Cuts the connection of the next script call. Resolves when it has. */
  cutNext(cut: Cut): Promise<void>;
  /** From now on every answer takes that long. */
  slow(answerMs: number): void;
  /** Lets nothing through any more in either direction, without a word. */
  freeze(): void;
  /** Lets nothing through any more, without a word, on the connections that have said this word. Others and new ones go on. */
  silence(word: string): void;
  /** The same for the next connection that says it, before it is heard. */
  silenceNext(word: string): void;
  /** Breaks what was frozen and lets new connections through. */
  thaw(): void;
  /** Breaks every connection and refuses new ones until `thaw`. */
  down(): void;
  close(): Promise<void>;
}

type State = 'open' | 'frozen';

export async function startProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const silencers = new Set<(word: string) => void>();
  let silenced: string | null = null;
  let state: State = 'open';
  let answerMs = 0;
  let pending: { readonly cut: Cut; readonly done: () => void } | null = null;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 6379), target.hostname);
    let muted = false;
    let isSilent = false;
    let said = '';
    const silence = (word: string) => {
      isSilent ||= said.includes(word);
    };
    silencers.add(silence);
    client.on('close', () => silencers.delete(silence));
    const breakBoth = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', breakBoth);
      socket.on('close', () => {
        sockets.delete(socket);
        breakBoth();
      });
    }
    client.on('data', (request) => {
      said += request.toString('latin1').slice(0, 4_096).toLowerCase();
      if (silenced !== null && said.includes(silenced)) {
        silenced = null;
        isSilent = true;
      }
      if (state === 'frozen' || isSilent) return;
      const armed = pending !== null && request.includes('EVAL') ? pending : null;
      if (armed === null) return void upstream.write(request);
      pending = null;
      armed.done();
      muted = true;
      switch (armed.cut) {
        case 'before the request':
          return breakBoth();
        case 'after the request':
          client.destroy();
          return void upstream.end(request);
        case 'before the reply':
          upstream.once('data', breakBoth);
          return void upstream.write(request);
      }
    });
    upstream.on('data', (reply) => {
      if (state === 'frozen' || isSilent || muted) return;
      if (answerMs === 0) return void client.write(reply);
      setTimeout(() => client.destroyed || client.write(reply), answerMs);
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    cutNext: (cut) => new Promise((done) => (pending = { cut, done })),
    slow: (ms) => {
      answerMs = ms;
    },
    silence: (word) => {
      for (const silence of silencers) silence(word);
    },
    silenceNext: (word) => {
      silenced = word;
    },
    freeze: () => {
      state = 'frozen';
    },
    thaw: () => {
      state = 'open';
      breakAll();
      if (!server.listening) server.listen(port, '127.0.0.1');
    },
    down: () => {
      breakAll();
      server.close();
    },
    close: async () => {
      breakAll();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
