import { setTimeout as delay } from 'node:timers/promises';
import { abi, EpochContract, releaseEpoch } from 'mempool-sequencer/evm';
import { privateKeyToAccount } from 'viem/accounts';
import { finalityBlocks, owner, type Stage } from './stage.ts';

interface Released {
  readonly epoch: number;
  readonly closesAt: number;
}

interface Snapshot {
  readonly block: number;
  readonly goBack: () => Promise<void>;
}

/** After so long without a block one is asked for. */
const idleChainMs = 10_000;

/** The actions of the stage on its chain: it releases epochs, again if a reorganisation undid that, and makes reorganisations. */
export class Releases {
  readonly contract: EpochContract;
  readonly released: Released[] = [];
  /** How many blocks each reorganisation undid. */
  readonly reverts: number[] = [];
  readonly #stage: Stage;
  #snapshots: readonly Snapshot[] = [];
  #head = { block: -1, since: 0 };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.contract = new EpochContract(stage.contract);
  }

  release(epoch: number, closesAt: number): void {
    this.released.push({ epoch, closesAt });
  }

  /** Sends released epochs that the chain lacks or has lost, until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#sendMissing().catch((error: unknown) =>
        console.error(`a release is sent again: ${firstLine(error)}`),
      );
      await delay(100, undefined, { signal }).catch(() => undefined);
    }
  }

  async #sendMissing(): Promise<void> {
    await this.#mineIfIdle();
    if (await this.#isSending()) return;
    for (const each of this.released.slice(-6)) if (!(await this.#isReleased(each.epoch))) await this.#send(each);
  }

  /** Takes the chain back so that an agreed root is undone, as soon as there is one that is not final yet. */
  async revert(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await answered(() => this.#revertNow(), signal)))
      await delay(400, undefined, { signal }).catch(() => undefined);
  }

  /** The root that the chain has for an epoch; `null`: none. */
  rootOf(epoch: number, signal: AbortSignal): Promise<string | null> {
    return answered(() => this.contract.rootOf(epoch), signal);
  }

  /** True if it went back. Otherwise this place is one to go back to later. */
  async #revertNow(): Promise<boolean> {
    const head = Number(await this.contract.client.getBlockNumber());
    // Not so far that it was final.
    const near = this.#snapshots.filter(({ block }) => head - block < finalityBlocks - 1);
    const [first] = near;
    const events = first === undefined ? [] : await this.contract.events(first.block + 1, head);
    if (first !== undefined && events.some(({ kind }) => kind === 'agreed')) {
      this.#snapshots = [];
      await first.goBack();
      this.reverts.push(head - first.block);
      return true;
    }
    this.#snapshots = [...near, { block: head, goBack: await this.#stage.chain.snapshot() }];
    return false;
  }

  async #send(release: Released): Promise<void> {
    const validators = this.#stage.validators.map(({ address }) => address);
    await releaseEpoch(this.#stage.contract, owner, { ...release, validators });
  }

  /** If the development chain makes no block by itself, it is asked for one: its miner is not under test. */
  async #mineIfIdle(): Promise<void> {
    const block = Number(await this.contract.client.getBlockNumber());
    if (block !== this.#head.block) this.#head = { block, since: Date.now() };
    else if (Date.now() - this.#head.since > idleChainMs) await this.#stage.chain.mine();
  }

  /** True while a release waits for a block. */
  async #isSending(): Promise<boolean> {
    const { address } = privateKeyToAccount(owner);
    const counts = (['pending', 'latest'] as const).map((blockTag) =>
      this.contract.client.getTransactionCount({ address, blockTag }),
    );
    const [sent, mined] = await Promise.all(counts);
    return sent !== mined;
  }

  async #isReleased(epoch: number): Promise<boolean> {
    const { client, deployed } = this.contract;
    const call = { address: deployed.address, abi, functionName: 'epochOf', args: [BigInt(epoch)] } as const;
    const [, , validators] = await client.readContract(call);
    return validators.length > 0;
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '';
}

/** Asks again until the node answers: it ends connections that were idle. @throws the signal's reason */
async function answered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      console.error(`the chain is asked again: ${firstLine(error)}`);
      await delay(200, undefined, { signal });
    }
  }
}
