import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Script } from '../../src/connection/script.ts';

/** Where the next script call is held back: on its way to the server, or its answer on the way back. */
export type Held = 'request' | 'reply';

/** A script call that is held back, with all that follows it on its connection. */
export interface HeldCall {
  /** It is here. */
  readonly caught: Promise<void>;
  /** Lets it go on, a request also when the one who sent it is gone. Resolves when the server has answered. */
  letGo(): Promise<void>;
}

export interface HeldProxy {
  readonly url: string;
  /** Of the next call of this script; of any script where none is given. */
  hold(held: Held, script?: Script): HeldCall;
  /** Loses what the server publishes: messages come no more, answers do. */
  loseMessages(): void;
  /** Breaks every connection; new ones lead to this server. */
  switchTo(url: string): void;
}

interface Trap {
  readonly accepts: (request: Buffer) => boolean;
  readonly held: Held;
  readonly caught: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<void>;
  readonly kept: Buffer[];
  /** Where what is kept was going. */
  way: Socket | null;
  over: boolean;
}

/** A TCP proxy that is closed after the test. A connection that ends at one side ends at the other. */
export async function heldProxy(serverUrl: string): Promise<HeldProxy> {
  const sockets = new Set<Socket>();
  let target = new URL(serverUrl);
  let armed: Trap | null = null;
  let isMessage = (_reply: Buffer): boolean => false;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 6379), target.hostname);
    let trap: Trap | null = null;
    const pair = (socket: Socket, other: Socket, isNeeded: () => boolean): void => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isNeeded()) other.destroy();
      });
    };
    pair(client, upstream, () => trap?.held === 'request' && !trap.over);
    pair(upstream, client, () => false);
    client.on('data', (request) => {
      if (trap === null && armed?.accepts(request)) {
        [trap, armed] = [armed, null];
        trap.way = trap.held === 'request' ? upstream : client;
      }
      if (trap?.held !== 'request' || trap.over) return void upstream.write(request);
      trap.kept.push(request);
      trap.caught.resolve();
    });
    upstream.on('data', (reply) => {
      if (trap?.over || trap?.held === 'reply') trap.answered.resolve();
      if (trap?.held !== 'reply' || trap.over) {
        if (!isMessage(reply)) client.write(reply);
        return;
      }
      trap.kept.push(reply);
      trap.caught.resolve();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    breakAll();
    server.close();
    await once(server, 'close');
  });

  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(held, script) {
      const accepts = (request: Buffer): boolean =>
        script === undefined
          ? request.includes('EVAL')
          : request.includes(script.sha) || request.includes(script.source);
      const caught = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const trap: Trap = { accepts, held, caught, answered, kept: [], way: null, over: false };
      armed = trap;
      return {
        caught: caught.promise,
        letGo: () => {
          trap.over = true;
          for (const data of trap.kept) trap.way?.write(data);
          return answered.promise;
        },
      };
    },
    loseMessages() {
      isMessage = (reply) => reply.includes('$7\r\nmessage\r\n');
    },
    switchTo(url) {
      target = new URL(url);
      breakAll();
    },
  };
}
