import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadServerConfig, startDemo } from 'mempool-server';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from './readme-example.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const readme = read('../../README.md');
const [, lines = ''] = /```sh\n((?:curl .*\n)+)```/.exec(readme) ?? [];

/** How curl ends when the time is over that it was given. */
const timedOut = 28;

test('the lines of the README work on the demo as printed', async () => {
  const demo = await startDemo({ server: { port: 0 } });
  onTestFinished(() => demo.close());
  const home = scratchFolder();
  // The lines name the usual port. curl itself goes to the port of this test.
  const options = ['silent', 'fail-with-body', `connect-to = "127.0.0.1:4420:127.0.0.1:${demo.port}"`];
  writeFileSync(join(home, '.curlrc'), options.join('\n'));
  const answers: string[] = [];
  for (const line of lines.trimEnd().split('\n')) {
    const child = spawn('sh', ['-c', line], { env: { ...process.env, CURL_HOME: home } });
    const [answer, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect([line, line.includes('--max-time') ? timedOut : 0, answer]).toEqual([
      line,
      code,
      expect.stringMatching(/./),
    ]);
    answers.push(answer);
  }
  expect(answers[0]).toContain('"kind":"received"');
  expect(answers[2]).toContain('"stage":');
  expect(answers.at(-1)).toContain('event: transaction');
  const onFirstPage = read('../../../../README.md').match(/^curl .*\n/gm) ?? [];
  expect(onFirstPage.filter((line) => !lines.includes(line))).toEqual([]);
  expect(onFirstPage.length).toBeGreaterThan(3);
});

test('the code in the README is a file here, and its configuration is valid', async () => {
  expect(readme).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const server = await run(join(scratchFolder(), 'pool.sqlite'));
  onTestFinished(() => server.close());
  expect(log).toHaveBeenCalledWith(`listening on ${server.url}`);
  log.mockRestore();
  const file = join(scratchFolder(), 'server.toml');
  writeFileSync(file, /```toml\n(.*?)```/s.exec(readme)?.[1] ?? '');
  expect((await loadServerConfig(file)).server).toMatchObject({ host: '0.0.0.0', tokens: [{ name: 'wallet' }] });
});
