/** A chunk file that cannot be read. The message is one line for an operator: it names the file and the place in it. */
export class ChainFileError extends Error {
  override readonly name = 'ChainFileError';
  readonly path: string;
  /** Bytes from the start of the file; `null` where no byte of it is at fault: it is missing, empty, or a directory. */
  readonly offset: number | null;

  constructor(path: string, offset: number | null, message: string, cause?: unknown) {
    const place = offset === null ? path : `${path}, byte ${offset}`;
    super(`${place}: ${message}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.offset = offset;
  }
}
