import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from 'mempool-testkit';

const folder = fileURLToPath(new URL('../../../../.data/hardhat/', import.meta.url));
const program = `${folder}node_modules/hardhat/internal/cli/bootstrap.js`;
const config = `module.exports = {
  solidity: '0.8.28',
  networks: { hardhat: { chainId: 31337, mining: { auto: false, interval: 0 } } },
};
`;

/** A development chain of Hardhat in a process of its own. A block is made only by `mine`. */
export interface DevChain extends AsyncDisposable {
  readonly url: string;
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  mine(): Promise<void>;
}

/** Installed once into a folder that is no part of the workspace: it is large, and only this test needs it. */
function install(): void {
  if (existsSync(program)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}package.json`, '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'hardhat@2'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm could not install hardhat: ${stderr}`);
}

/** Starts a chain on a free port of this machine. */
export async function startDevChain(): Promise<DevChain> {
  install();
  writeFileSync(`${folder}hardhat.config.js`, config);
  const port = await freePort();
  const child = spawn(process.execPath, [program, 'node', '--hostname', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env: { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', CI: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const lines = createInterface(child.stdout);
  for await (const line of lines) if (line.includes(url)) break;
  child.stdout.resume();
  return {
    url,
    call,
    mine: async () => void (await call('evm_mine')),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
