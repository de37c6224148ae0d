import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from 'mempool-testkit';
import { type Role, roles } from './home.ts';
import type { Stage } from './stage.ts';
import { shuffled } from './traffic.ts';

/** At least so long after the last kill. */
const killEveryMs = 1_000;

/** Kills, cuts and stops running processes, and counts them. */
export class Faults {
  readonly kills: Record<Role, number> = {
    ...{ gateway: 0, dequeuer: 0, finalizer: 0 },
    ...{ aggregator: 0, monitor: 0, relayer: 0 },
  };
  readonly partitions: (readonly string[])[] = [];
  freezes = 0;
  restarts = 0;
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #cutOff = new Set<string>();
  /** When which validator was cut off, in milliseconds since 1970. */
  readonly #cuts: { readonly name: string; readonly from: number; readonly to: number }[] = [];

  constructor(stage: Stage, random: Random) {
    this.#stage = stage;
    this.#random = random;
  }

  isCutOff(name: string): boolean {
    return this.#cutOff.has(name);
  }

  /** The validators that were cut off for a part of this time. */
  cutOffBetween(from: number, to: number): Set<string> {
    return new Set(this.#cuts.filter((cut) => cut.from < to && from < cut.to).map(({ name }) => name));
  }

  /** Kills processes one after the other, of each role in turn, until the signal aborts. The next one is killed when the last one works again. */
  async killAll(signal: AbortSignal): Promise<void> {
    const aborted = once(signal, 'abort');
    for (let next: Role[] = []; !signal.aborted; ) {
      if (next.length === 0) next = shuffled(roles, this.#random);
      const role = next.pop() as Role;
      const workers = this.#stage.workers.filter(({ post }) => post.role === role);
      const victim = shuffled(workers, this.#random).find((worker) => worker.kill());
      if (victim !== undefined) this.kills[role] += 1;
      const again = Promise.all([victim?.working(), delay(killEveryMs)]);
      await Promise.race([again, aborted]);
    }
  }

  /** Cuts validators off from all other validators for a while. */
  async partition(count: number, forMs: number): Promise<readonly string[]> {
    const numbers = shuffled([...this.#stage.validators.keys()], this.#random).slice(0, count);
    const names = numbers.map((number) => this.#stage.validators[number]?.name ?? '');
    this.#stage.links.cut(numbers);
    for (const name of names) this.#cutOff.add(name);
    this.partitions.push(names);
    const from = Date.now();
    for (const name of names) this.#cuts.push({ name, from, to: from + forMs });
    await delay(forMs);
    this.#stage.links.heal(numbers);
    for (const name of names) this.#cutOff.delete(name);
    return names;
  }

  /** Stops a process for longer than its claims and leases last, so that it wakes up with work that is others' by now. */
  async freeze(forMs: number): Promise<void> {
    const [worker] = shuffled(this.#stage.workers, this.#random);
    worker?.signal('SIGSTOP');
    this.freezes += 1;
    await delay(forMs);
    worker?.signal('SIGCONT');
  }

  /** Kills Redis and starts it on its append-only file. */
  async restartRedis(): Promise<void> {
    this.restarts += 1;
    await this.#stage.redis.restart();
  }
}
