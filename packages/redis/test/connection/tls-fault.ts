import type { Socket } from 'node:net';
import { TcpRelay } from 'mempool-testkit';
import { onTestFinished } from 'vitest';

/** What becomes of a connection in the place of one TLS record of the server's. */
export const faults = ['alert', 'line', 'flipped bit', 'end', 'reset', 'silence'] as const;
export type Fault = (typeof faults)[number];

const headBytes = 5;
/** Fatal, `handshake_failure`, not encrypted. */
const alert = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
const line = Buffer.from('-ERR no TLS here\r\n');

/** A TCP proxy in front of a TLS server that spoils the record with this number on every connection. Resolves with its port. */
export async function faultyProxy(targetPort: number, fault: Fault, record: number): Promise<number> {
  const target = new URL(`tls://127.0.0.1:${targetPort}`);
  const relay = await TcpRelay.open(
    () => target,
    (client, upstream) => {
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      client.on('data', (bytes) => upstream.write(bytes));
      spoil(client, upstream, fault, record);
    },
  );
  onTestFinished(() => relay.close());
  return relay.port;
}

function spoil(client: Socket, upstream: Socket, fault: Fault, record: number): void {
  let rest: Buffer = Buffer.alloc(0);
  let seen = 0;
  upstream.on('data', (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= headBytes && rest.length >= headBytes + rest.readUInt16BE(3)) {
      const end = headBytes + rest.readUInt16BE(3);
      if (seen < record) client.write(rest.subarray(0, end));
      else if (seen === record) strike(client, rest.subarray(0, end), fault);
      // One bit is wrong and all that follows is right; after the others nothing follows.
      else if (fault === 'flipped bit') client.write(rest.subarray(0, end));
      seen += 1;
      rest = rest.subarray(end);
    }
  });
}

function strike(client: Socket, record: Buffer, fault: Fault): void {
  switch (fault) {
    case 'alert':
      return void client.write(alert);
    case 'line':
      return void client.write(line);
    case 'flipped bit': {
      const flipped = Buffer.from(record);
      flipped[flipped.length - 1] = (flipped.at(-1) as number) ^ 1;
      return void client.write(flipped);
    }
    case 'end':
      return void client.end();
    case 'reset':
      return void client.resetAndDestroy();
    case 'silence':
  }
}
