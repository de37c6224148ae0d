import { setTimeout as sleep } from 'node:timers/promises';
import type { MempoolEvent } from 'mempool-core';
import type { Summary } from 'mempool-server';
import { Random } from 'mempool-testkit';
import { eventsOf, jsonOf, postJson, submit } from './client.ts';
import { type ServerProcess, startProcess } from './server-process.ts';

/** What a run of kills saw. */
export interface KillReport {
  /** Transactions that a server acknowledged as received. */
  readonly acknowledged: number;
  /** Those that the pool no longer knows: there must be none. */
  readonly lost: readonly string[];
  /** The monitor's numbers after the last restart. */
  readonly counted: Numbers;
  /** The same, counted from the raw events. */
  readonly recounted: Numbers;
  /** The exit code of the last server, which got a SIGTERM under load. */
  readonly exitCode: number | null;
}

interface Numbers {
  readonly received: number;
  readonly dropped: number;
  readonly confirmed: number;
  readonly blocks: number;
}

const callers = 16;
const server = 'sections-program.ts';

/** Kills a server under load again and again, each time at a random moment, and then counts. */
export async function killRuns(
  mempool: object,
  { seed, kills }: { readonly seed: number; readonly kills: number },
): Promise<KillReport> {
  const random = new Random(seed);
  const load = new Load();
  for (let i = 0; i < kills; i++) {
    const running = await startProcess(server, JSON.stringify({ mempool }));
    await load.on(running, 50 + random.below(400), 'SIGKILL');
  }
  const last = await startProcess(server, JSON.stringify({ mempool }));
  await load.on(last, 200, 'SIGTERM');
  const { code: exitCode } = await last.ended;
  const checked = await startProcess(server, JSON.stringify({ mempool }));
  const lost = await load.lost(checked.url);
  const { usage, summary } = await settled(checked.url);
  const recounted = await recount(checked.url, usage.lastEventSeq);
  checked.child.kill('SIGTERM');
  await checked.ended;
  const { received, stages, reasons, blocks } = summary;
  const dropped = Object.values(reasons).reduce((sum, each) => sum + each, 0);
  const counted = { received, dropped, confirmed: stages.Confirmed, blocks: blocks.applied };
  return { acknowledged: load.acknowledged.length, lost, counted, recounted, exitCode };
}

/** Callers that submit, drop and confirm until their server is gone. */
class Load {
  readonly acknowledged: string[] = [];
  #next = 0;
  #slot = 0;

  async on(running: ServerProcess, ms: number, signal: NodeJS.Signals): Promise<void> {
    const calling = Array.from({ length: callers }, (_, caller) => this.#call(running.url, caller));
    await sleep(ms);
    running.child.kill(signal);
    await Promise.all(calling);
    await running.ended;
  }

  async lost(url: string): Promise<string[]> {
    const lost: string[] = [];
    for (const hash of this.acknowledged)
      if ((await fetch(`${url}/api/v1/transactions/${hash}`)).status !== 200) lost.push(hash);
    return lost;
  }

  async #call(url: string, caller: number): Promise<void> {
    try {
      for (;;) {
        const response = await submit({ url }, `transaction ${this.#next++}`);
        const { hash } = await jsonOf(response);
        if (response.status !== 201) return;
        this.acknowledged.push(String(hash));
        if (caller === 0) await postJson(`${url}/api/v1/transactions/${hash}/drop`, { reason: { app: 'test' } });
        if (caller === 1) await this.#confirm(url, String(hash));
      }
    } catch {
      // The server is gone.
    }
  }

  async #confirm(url: string, hash: string): Promise<void> {
    const slot = ++this.#slot;
    const point = { slot, hash: slot.toString(16).padStart(64, '0') };
    await (await postJson(`${url}/api/v1/blocks`, { point, seen: [hash] })).text();
  }
}

interface Settled {
  readonly usage: { readonly lastEventSeq: number; readonly cursors: { readonly events: string } };
  readonly summary: Summary;
}

/** The monitor's numbers once it has counted every event. */
async function settled(url: string): Promise<Settled> {
  for (;;) {
    const usage = (await (await fetch(`${url}/api/v1/usage`)).json()) as Settled['usage'];
    const summary = (await (await fetch(`${url}/api/v1/summary`)).json()) as Summary;
    if (summary.cursor === usage.cursors.events) return { usage, summary };
    await sleep(20);
  }
}

async function recount(url: string, lastEventSeq: number): Promise<Numbers> {
  const numbers = { received: 0, dropped: 0, confirmed: 0, blocks: 0 };
  for await (const { data } of eventsOf(await fetch(`${url}/api/v1/events?after=origin`))) {
    const event = JSON.parse(data) as MempoolEvent;
    if (event.kind === 'lagged') throw new Error('events are missing');
    if (event.kind === 'block') numbers.blocks += 1;
    if (event.kind === 'transaction') {
      if (event.cause === 'received') numbers.received += 1;
      else if (event.stage === 'Dropped') numbers.dropped += 1;
      else if (event.stage === 'Confirmed') numbers.confirmed += 1;
    }
    if (event.eventSeq >= lastEventSeq) break;
  }
  return numbers;
}
