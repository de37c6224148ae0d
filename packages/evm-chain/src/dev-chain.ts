import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { rpcCall } from 'mempool-edge-ethereum/chain';
import { freePort } from 'mempool-testkit/free-port';
import { installed } from './installed.ts';

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
  /** Lets the chain grow by so many blocks, and takes it back to here. Meanwhile it makes no others, so that is how deep it went. */
  detour(blocks: number, between: () => Promise<void>): Promise<void>;
  /** Marks this place of the chain. Returns a function that takes the chain back to it: later blocks and transactions are gone. */
  snapshot(): Promise<() => Promise<void>>;
}

/** Starts a chain on a port of this machine. Hardhat is installed the first time. @throws Error if that fails */
export async function startDevChain({ blockMs = 0, port }: DevChainOptions = {}): Promise<DevChain> {
  const at = String(port ?? (await freePort()));
  const child = startNode(at, blockMs);
  const url = `http://127.0.0.1:${at}`;
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> => rpcCall(url, method, params);
  const lines = createInterface(child.stdout);
  let isUp = false;
  for await (const line of lines) {
    isUp = line.includes(url);
    if (isUp) break;
  }
  if (!isUp) throw new Error(`the development chain ended before it listened on ${url}`);
  child.stdout.resume();
  const mine = async (): Promise<void> => void (await call('evm_mine'));
  const snapshot = async (): Promise<() => Promise<void>> => {
    const id = await call('evm_snapshot');
    return async () => void (await call('evm_revert', id));
  };
  return {
    url,
    pid: child.pid ?? 0,
    call,
    mine,
    detour: async (blocks, between) => {
      await call('evm_setIntervalMining', 0);
      const back = await snapshot();
      for (let i = 0; i < blocks; i += 1) {
        await between();
        await mine();
      }
      await back();
      await call('evm_setIntervalMining', blockMs);
    },
    snapshot,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function startNode(port: string, blockMs: number): ChildProcessByStdio<null, Readable, null> {
  const folder = installed('hardhat', '2');
  writeFileSync(join(folder, 'hardhat.config.js'), config);
  const program = join(folder, 'node_modules/hardhat/internal/cli/bootstrap.js');
  return spawn(process.execPath, [program, 'node', '--hostname', '127.0.0.1', '--port', port], {
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
}
