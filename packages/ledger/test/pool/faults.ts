/** What happens to a process at one of its calls. */
export interface Fault {
  /** The call, counted from 1; none if there are fewer. */
  readonly at: number;
  readonly when: 'before' | 'after';
  /** Waits here before the process goes on. If it rejects, the process ends here. */
  readonly meet: () => Promise<void>;
}

/** A crash: nothing after this call is done. */
export class Crash extends Error {}

export const crash = async (): Promise<void> => {
  throw new Crash('the process was killed');
};

/** A process that stands still until `release`. */
export function stall() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { meet: () => promise, release: resolve };
}

/** Counts the calls of one process to all that it talks to. After a crash every call fails. */
export class FaultyProcess {
  readonly #fault: Fault | null;
  #calls = 0;
  #crashed = false;

  constructor(fault: Fault | null) {
    this.#fault = fault;
  }

  /** The same object, as this process sees it. */
  sees<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const found: unknown = Reflect.get(target, name, target);
        if (typeof found !== 'function') return found;
        return (...given: unknown[]) => this.#call(() => Reflect.apply(found, target, given));
      },
    });
  }

  async #call(run: () => unknown): Promise<unknown> {
    this.#calls += 1;
    const isHere = this.#calls === this.#fault?.at;
    if (isHere && this.#fault?.when === 'before') await this.#meet();
    if (this.#crashed) throw new Crash('the process was killed');
    const answer = await run();
    if (isHere && this.#fault?.when === 'after') await this.#meet();
    if (this.#crashed) throw new Crash('the process was killed');
    return answer;
  }

  async #meet(): Promise<void> {
    try {
      await this.#fault?.meet();
    } catch (error) {
      this.#crashed = true;
      throw error;
    }
  }
}
