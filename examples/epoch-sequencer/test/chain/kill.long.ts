import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDevChain } from 'evm-chain';
import type { Certificate } from 'mempool-sequencer';
import { EpochContract, releaseEpoch } from 'mempool-sequencer/evm';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, inject, onTestFinished, test } from 'vitest';
import { deployContract } from '../../src/chain/deploy-contract.ts';
import { type Validator, validators } from './cast.ts';
import { certified, type Errand, minedBy, ownerKey } from './scene.ts';

const program = fileURLToPath(new URL('relayer-program.ts', import.meta.url));
const epochCount = 24;
const lives = 18;
/** No reorganisation of this test is deeper. */
const finalityBlocks = 20;

/** A relayer that is started again whenever it is killed. */
class KilledRelayer {
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;
  kills = 0;

  constructor(...args: readonly string[]) {
    this.#args = args;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, ['--conditions=mempool-source', program, ...this.#args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the relayer ended with ${code}`)));
    ended.catch(() => undefined);
    await Promise.race([once(child.stdout, 'data'), ended]);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    this.kills += 1;
    await once(child, 'exit');
  }
}

const pools: Readonly<Record<string, (folder: string) => Errand['pool']>> = {
  sqlite: (folder) => ({ backend: 'sqlite', path: join(folder, 'relay.sqlite') }),
  redis: () => ({ backend: 'redis', url: inject('redisUrl'), pool: `relay-${process.pid}` }),
};

test.each(Object.entries(pools))(
  'two relayers, killed at any time, send each epoch once and leave no nonce out, through reorganisations and dear blocks: %s',
  {
    timeout: 900_000,
  },
  async (_, poolIn) => {
    const [validator] = validators(1) as [Validator];
    const random = new Random(seed);
    await using chain = await startDevChain({ blockMs: 150 });
    const contract = await deployContract(chain, { owner: ownerKey, name: 'protocol:market' });
    const reader = new EpochContract(contract);
    await chain.call('hardhat_setBalance', validator.address, '0xffffffffffffffffffffff');
    const epochs = certified(contract);
    const certificates: Certificate[] = [];
    for (let epoch = 1; epoch <= epochCount; epoch += 1) {
      await releaseEpoch(contract, ownerKey, { epoch, closesAt: 1, validators: [validator.address] });
      epochs.add(epoch, [validator]);
      certificates.push((await epochs.certificate(epoch)) as Certificate);
    }
    await expect.poll(async () => (await reader.events(0, 1_000_000)).length, { timeout: 120_000 }).toBe(epochCount);
    const folder = scratchFolder();
    const pool = poolIn(folder);
    const errand = join(folder, 'errand.json');
    const give = (count: number): void => {
      const own: Errand = {
        contract,
        privateKey: validator.key,
        finalityBlocks,
        pool,
        certificates: certificates.slice(0, count),
      };
      writeFileSync(`${errand}-new`, JSON.stringify(own));
      renameSync(`${errand}-new`, errand);
    };
    const relayers = [new KilledRelayer(errand), new KilledRelayer(errand)];
    onTestFinished(async () => void (await Promise.all(relayers.map((each) => each.kill()))));
    give(0);
    for (const each of relayers) await each.start();

    // More epochs in each life, so that each has something to plan. What is sent before a dear block is stuck in it.
    for (let life = 1; life <= lives; life += 1) {
      const killed = relayers[random.below(2)];
      await killed?.kill();
      give(Math.ceil((epochCount * life) / lives));
      await killed?.start();
      if (life % 4 === 0) await chain.call('hardhat_setNextBlockBaseFeePerGas', '0x174876e800');
      if (life % 6 === 0) await chain.detour(1 + random.below(6), () => delay(random.below(300)));
      else await delay(random.below(700));
      await delay(random.below(300));
    }
    await expect
      .poll(async () => (await reader.events(0, 1_000_000)).filter(({ kind }) => kind === 'agreed').length, {
        timeout: 600_000,
      })
      .toBe(epochCount);
    const mined = await minedBy(reader, validator.address);
    expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: epochCount }, (_, i) => i));
    expect(mined.every(({ isRight }) => isRight)).toBe(true);
    expect(relayers.reduce((sum, { kills }) => sum + kills, 0)).toBe(lives);
  },
);
