import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from 'mempool-testkit/free-port';
import { installed } from './installed.ts';
import { rpcCall } from './rpc.ts';

/** The number of the chain (EIP-155). */
export const devChainId = 31_337;

const config = `const interval = Number(process.env.DEV_CHAIN_BLOCK_MS);
module.exports = {
  solidity: '0.8.28',
  networks: {
    hardhat: { chainId: ${devChainId}, allowBlocksWithSameTimestamp: true, mining: { auto: false, interval } },
  },
};
`;

/** Options of a development chain. */
export interface DevChainOptions {
  /** Makes a block so often, in milliseconds. Default 0: only `mine` makes one. */
  readonly blockMs?: number | undefined;
  /** Default: a free one. */
  readonly port?: number | undefined;
}

/** A development chain of Hardhat in a process of its own. */
export interface DevChain extends AsyncDisposable {
  readonly url: string;
  /** The process. */
  readonly pid: number;
  /** @throws `RpcFailure` */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  /** Makes a block. */
  mine(): Promise<void>;
  /** Marks this place of the chain. Returns a function that takes the chain back to it: later blocks and transactions are gone. */
  snapshot(): Promise<() => Promise<void>>;
}

/** Starts a chain on a port of this machine. Hardhat is installed the first time. @throws Error if that fails */
export async function startDevChain({ blockMs = 0, port }: DevChainOptions = {}): Promise<DevChain> {
  const folder = installed('hardhat', '2');
  writeFileSync(join(folder, 'hardhat.config.js'), config);
  const program = join(folder, 'node_modules/hardhat/internal/cli/bootstrap.js');
  const at = String(port ?? (await freePort()));
  const child = spawn(process.execPath, [program, 'node', '--hostname', '127.0.0.1', '--port', at], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
      CI: 'true',
      DEV_CHAIN_BLOCK_MS: String(blockMs),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = `http://127.0.0.1:${at}`;
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> => rpcCall(url, method, params);
  const lines = createInterface(child.stdout);
  for await (const line of lines) if (line.includes(url)) break;
  child.stdout.resume();
  return {
    url,
    pid: child.pid ?? 0,
    call,
    mine: async () => void (await call('evm_mine')),
    snapshot: async () => {
      const id = await call('evm_snapshot');
      return async () => void (await call('evm_revert', id));
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
