// The installed command `mempool`, on the Node that runs this file.
import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installed = new URL('node_modules/mempool-cli/', import.meta.url);
const { version, bin } = JSON.parse(readFileSync(new URL('package.json', installed), 'utf8'));

const command = fileURLToPath(new URL(bin.mempool, installed));

function mempool(...args) {
  return execFileSync(process.execPath, [command, ...args], { encoding: 'utf8' });
}

assert.equal(mempool('--version').trim(), version);
mempool('config', 'init', 'command.toml');
assert.match(mempool('-c', 'command.toml', 'config', 'check'), /valid/);
mempool('-c', 'command.toml', 'submit', 'c0ffee');
assert.equal(JSON.parse(mempool('-c', 'command.toml', '--json', 'usage')).pending, 1);

const serving = spawn(process.execPath, [command, 'serve', '--demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(serving, 'exit');
const [said] = await once(serving.stdout, 'data');
const [url] = /http:\S+/.exec(String(said)) ?? [];
assert.equal((await fetch(`${url}/api/v1/usage`)).status, 200);
serving.kill('SIGTERM');
assert.deepEqual(await ended, [0, null]);
console.log(`mempool ${version}`);
