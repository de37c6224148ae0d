import { expect, test } from 'vitest';
import { operator, ownProxy, ownServer } from '../own-server.ts';
import { hinted, openLeases, win } from './node.ts';

test('a connection that listens and is silent, while commands are answered, is made anew in two looks', async () => {
  const server = await ownServer();
  const proxy = await ownProxy(server.url);
  const store = await openLeases({ url: proxy.url });
  const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));
  for (let times = 0; times < 2; times += 1) {
    await store.observe();
    const back = hinted(store, 'reconnected');
    proxy.silence('subscribe');
    await store.observe();
    // As long as an election waits between two looks.
    await pause(500);
    await store.observe();
    await back;
    const acquired = hinted(store, 'acquired');
    await (await openLeases({ url: server.url })).release(await win(store, 'a'));
    await acquired;
  }
});

test('a connection that is silent from the first word on is made anew too', async () => {
  const server = await ownServer();
  const proxy = await ownProxy(server.url);
  const store = await openLeases({ url: proxy.url });
  proxy.silenceNext('subscribe');
  await operator(server.url).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const back = hinted(store, 'reconnected');
  let isBack = false;
  void back.then(() => (isBack = true));
  await expect.poll(() => store.observe().then(() => isBack)).toBe(true);
});
