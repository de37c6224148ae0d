import { fileURLToPath } from 'node:url';
import { Random, type Running, startProgram } from 'mempool-testkit';
import { faultsAtRest, rest } from '../pool/at-rest.ts';
import { fill } from '../pool/filled.ts';
import type { Place } from '../stores/place.ts';
import { coupled, openStage } from './stage.ts';

const payer = fileURLToPath(new URL('payer.ts', import.meta.url));

export interface KillRun {
  readonly faults: readonly string[];
  /** How many payments were posted: a run in which nothing happens proves nothing. */
  readonly posted: number;
  readonly voided: number;
  /** What processes said that ended by themselves. */
  readonly ended: readonly string[];
}

/** Two processes at a time on one pool and one ledger; one after the other is killed in the middle of something. Then all is settled. */
export async function killRun(place: Place, kills: number, seed: number): Promise<KillRun> {
  const random = new Random(seed);
  const before = await openStage(place);
  await fill(before.ledger, 300n);
  await before.pool.close();
  await before.ledger.close();
  const start = () => startProgram([payer, place, String(random.uint32())]);
  const running = [start(), start()];
  const ended: string[] = [];
  for (let i = 0; i < kills; i++) {
    const victim = running.shift();
    if (victim !== undefined) ended.push(...(await killAfter(victim, 5 + random.below(40))));
    running.push(start());
  }
  for (const each of running) ended.push(...(await killAfter(each, 1)));
  return { ...(await settled(place)), ended };
}

async function killAfter({ child, ended }: Running, actions: number): Promise<string[]> {
  let done = 0;
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.stdout?.on('data', (dots: Buffer) => {
      done += dots.length;
      if (done >= actions) resolve();
    });
  });
  child.kill('SIGKILL');
  const { signal, stderr } = await ended;
  return signal === 'SIGKILL' ? [] : [stderr];
}

async function settled(place: Place): Promise<Omit<KillRun, 'ended'>> {
  const stage = await openStage(place);
  await rest(stage.pool, coupled(stage, 1));
  const faults = await faultsAtRest(stage.pool, stage.ledger);
  let [posted, voided] = [0, 0];
  for (let seq = 0; ; ) {
    const records = await stage.ledger.records(seq);
    const kinds = records.map((record) => (record.type === 'transfer' ? record.transfer.kind : record.type));
    posted += kinds.filter((kind) => kind === 'post').length;
    voided += kinds.filter((kind) => kind === 'void').length;
    seq = records.at(-1)?.seq ?? 0;
    if (records.length === 0) break;
  }
  await stage.pool.close();
  await stage.ledger.close();
  return { faults, posted, voided };
}
