import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createElection, type LeaseStore } from 'mempool-election';
import { redisElection } from 'mempool-redis';
import { expect, onTestFinished, test } from 'vitest';
import { candidate, fails, openLeases, renewal, request } from './node.ts';

/** Nobody leads, and nobody did. */
const free = '*2\r\n*-1\r\n$1\r\n0\r\n';

/** Speaks the protocol of Redis and no more: to every script but the first it gives one answer, whatever it asks. */
async function talker() {
  const answer = { text: free };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      rest += text;
      for (let words = takeCommand(); words !== null; words = takeCommand()) socket.write(reply(words, answer.text));
    });
    function takeCommand(): string[] | null {
      const [head, count] = /^\*(\d+)\r\n/.exec(rest) ?? [];
      if (head === undefined) return null;
      const words: string[] = [];
      let at = head.length;
      while (words.length < Number(count)) {
        const [mark, length] = /^\$(\d+)\r\n/.exec(rest.slice(at, at + 20)) ?? [];
        if (mark === undefined || rest.length < at + mark.length + Number(length) + 2) return null;
        words.push(rest.substr(at + mark.length, Number(length)));
        at += mark.length + Number(length) + 2;
      }
      rest = rest.slice(at);
      return words;
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { answer, url: `redis://127.0.0.1:${(server.address() as { port: number }).port}` };
}

function reply([name = '', argument = '']: readonly string[], answer: string): string {
  if (name.toLowerCase() === 'subscribe')
    return `*3\r\n$9\r\nsubscribe\r\n$${argument.length}\r\n${argument}\r\n:1\r\n`;
  return name === 'EVAL' && argument.includes('attempts') ? '+OK\r\n' : answer;
}

const lease = { nodeId: 'a', token: 'token', term: 1, seq: 1 } as const;
const verbs: Readonly<Record<string, (store: LeaseStore) => Promise<unknown>>> = {
  campaign: (store) => store.campaign(request('a')),
  renew: (store) => store.renew(lease, renewal('a')),
  reinstate: (store) => store.reinstate(lease, renewal('a')),
  release: (store) => store.release(lease),
  observe: (store) => store.observe(),
  heartbeat: (store) => store.heartbeat(candidate('a'), 1_000),
  members: (store) => store.members(),
};

const wrong = [
  '$-1\r\n',
  '+OK\r\n',
  '*1\r\n*0\r\n',
  '*3\r\n$3\r\nwon\r\n*1\r\n$1\r\na\r\n*-1\r\n',
  '*2\r\n$7\r\nrenewed\r\n$-1\r\n',
  '*2\r\n*8\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n$1\r\n0\r\n',
];

test.for(wrong)('the answer %j to any verb of an election is refused', async (text) => {
  const { answer, url } = await talker();
  const store = await openLeases({ url });
  answer.text = text;
  for (const [verb, call] of Object.entries(verbs))
    await assert.rejects(call(store), fails('ERR_ELECTION_REFUSED'), `${verb} took it`);
});

test.for(wrong)('an election goes on looking through answers such as %j, and ends', async (text) => {
  const { answer, url } = await talker();
  const warnings: unknown[] = [];
  const election = createElection(redisElection, {
    url,
    ttlMs: 250,
    pollMs: 5,
    log: (_level, message, fields) => warnings.push(message, fields),
  });
  await election.start();
  answer.text = text;
  const before = warnings.length;
  await expect.poll(() => warnings.length).toBeGreaterThan(before + 4);
  await election.stop();
});
