// Builds the application, starts it and asks it once: each backend must answer from where the bundler put it.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const cwd = import.meta.dirname;
const next = ['node_modules/next/dist/bin/next'];
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

/** Where it listens, in its own words: it was given port 0. Its output is read to the end, so that it may go on writing. */
function addressOf(server) {
  let said = '';
  return new Promise((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (address !== undefined && said.includes('Ready')) resolve(address);
    });
    server.once('exit', () => reject(new Error(`the application ended before it was ready:\n${said}`)));
  });
}

execFileSync(process.execPath, [...next, 'build'], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
const server = spawn(process.execPath, [...next, 'start', '--hostname', '127.0.0.1', '--port', '0'], {
  cwd,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const answer = await fetch(`${await addressOf(server)}/pool`);
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { ephemeral: 'Pending', sqlite: 'Pending', redis: 'Pending' });
  console.log('ephemeral, sqlite and redis answer in an application that Next.js built');
} finally {
  server.kill();
  if (server.exitCode === null) await once(server, 'exit');
}
