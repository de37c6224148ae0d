// The installed command `mempool`, on the Node that runs this file.
import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installed = new URL('node_modules/mempool-cli/', import.meta.url);
const { version, bin } = JSON.parse(readFileSync(new URL('package.json', installed), 'utf8'));

function mempool(...args) {
  const command = fileURLToPath(new URL(bin.mempool, installed));
  return execFileSync(process.execPath, [command, ...args], { encoding: 'utf8' });
}

assert.equal(mempool('--version').trim(), version);
mempool('config', 'init', 'command.toml');
assert.match(mempool('-c', 'command.toml', 'config', 'check'), /valid/);
mempool('-c', 'command.toml', 'submit', 'c0ffee');
assert.equal(JSON.parse(mempool('-c', 'command.toml', '--json', 'usage')).pending, 1);
console.log(`mempool ${version}`);
