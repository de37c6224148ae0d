import { busy } from './problem.ts';

/** At most so many of something at once. */
export class Slots {
  readonly #max: number;
  readonly #what: string;
  #count = 0;

  /** @param what for the message, such as `event streams may be open` */
  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  /** How many are taken. */
  get count(): number {
    return this.#count;
  }

  /** Takes a slot. Returns what gives it back; a second call of that does nothing. @throws `Problem` 503 */
  take(): () => void {
    if (this.#count >= this.#max) throw busy(`At most ${this.#max} ${this.#what} at once.`);
    this.#count += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#count -= 1;
      isTaken = false;
    };
  }
}
