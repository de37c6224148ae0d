/** The parts of a node that are open, in the order in which they were opened. */
export class OpenParts {
  readonly #endings: (() => Promise<void>)[] = [];
  #closing: Promise<void> | null = null;

  /** Returns the part. `end` ends it when the node closes. */
  add<T>(part: T, end: (part: T) => Promise<void>): T {
    this.#endings.push(() => end(part));
    return part;
  }

  /** Ends all parts, the last one first, and each even if one before it fails. @throws the first error */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const errors: unknown[] = [];
    for (const end of this.#endings.toReversed()) await end().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
