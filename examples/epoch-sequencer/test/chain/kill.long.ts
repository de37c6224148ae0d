import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDevChain } from 'evm-chain';
import type { Certificate } from 'mempool-sequencer';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { deployContract, EpochContract, releaseEpoch } from '../../src/chain/contract.ts';
import { type Validator, validators } from './cast.ts';
import { certified, type Errand, minedBy, ownerKey } from './scene.ts';

const program = fileURLToPath(new URL('relayer-program.ts', import.meta.url));
const epochCount = 40;
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
    if (child.stdout !== null) await once(child.stdout, 'data');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    this.kills += 1;
    await once(child, 'exit');
  }
}

test('killed at any time, a relayer sends each epoch once and leaves no nonce out, through reorganisations too', {
  timeout: 280_000,
}, async () => {
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
  await expect.poll(async () => (await reader.events(0, 1_000_000)).length, { timeout: 20_000 }).toBe(epochCount);
  const folder = scratchFolder();
  const errand = join(folder, 'errand.json');
  const give = (count: number): void => {
    const own: Errand = {
      contract,
      privateKey: validator.key,
      finalityBlocks,
      certificates: certificates.slice(0, count),
    };
    writeFileSync(`${errand}-new`, JSON.stringify(own));
    renameSync(`${errand}-new`, errand);
  };
  const relayer = new KilledRelayer(join(folder, 'relay.sqlite'), errand);
  onTestFinished(() => relayer.kill());

  // More epochs each time that it starts, so that each life has something to plan.
  const lives = 24;
  for (let life = 1; life <= lives; life += 1) {
    give(Math.ceil((epochCount * life) / lives));
    await relayer.start();
    const back = life % 6 === 0 ? await chain.snapshot() : null;
    await delay(random.below(700));
    if (back !== null) await back();
    await delay(random.below(300));
    if (life < lives) await relayer.kill();
  }
  await expect
    .poll(async () => (await reader.events(0, 1_000_000)).filter(({ kind }) => kind === 'agreed').length, {
      timeout: 120_000,
    })
    .toBe(epochCount);
  const mined = await minedBy(reader, validator.address);
  expect(mined.map(({ nonce }) => nonce)).toEqual(Array.from({ length: epochCount }, (_, i) => i));
  expect(mined.every(({ isRight }) => isRight)).toBe(true);
  expect(relayer.kills).toBe(lives - 1);
});
