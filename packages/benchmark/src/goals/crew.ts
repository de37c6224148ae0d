import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';

/** What processes can be told to do. */
type Verbs<Told> = { readonly [V in keyof Told]: (...given: never[]) => unknown };

/** Processes of one program, which do what they are told and answer. */
export class Crew<Told extends Verbs<Told>> {
  readonly #start: () => ChildProcess;
  readonly #size: number;
  #nodes: ChildProcess[] = [];

  constructor(program: URL, size: number, ...given: readonly string[]) {
    // As structured clones: limits may be infinite.
    this.#start = () => fork(program, given, { serialization: 'advanced' });
    this.#size = size;
  }

  /** Resolves when every process is there. */
  async begin(): Promise<void> {
    this.#nodes = Array.from({ length: this.#size }, this.#start);
    await Promise.all(this.#nodes.map(answerOf));
  }

  /** Tells all at once. @throws Error where one has ended */
  tell<V extends keyof Told>(verb: V, ...given: Parameters<Told[V]>): Promise<Awaited<ReturnType<Told[V]>>[]> {
    return this.tellFirst(this.#size, verb, ...given);
  }

  /** Tells so many of them. */
  tellFirst<V extends keyof Told>(count: number, verb: V, ...given: Parameters<Told[V]>) {
    return Promise.all(this.#nodes.slice(0, count).map((_, index) => this.tellOne(index, verb, ...given)));
  }

  async tellOne<V extends keyof Told>(index: number, verb: V, ...given: Parameters<Told[V]>) {
    const node = this.#nodes[index];
    if (node === undefined) throw new RangeError(`the crew has no process ${index}`);
    const answered = answerOf(node);
    node.send([verb, given], () => undefined);
    return (await answered) as Awaited<ReturnType<Told[V]>>;
  }

  /** Ends the processes with SIGKILL, and waits until they are gone. */
  async end(): Promise<void> {
    const alive = this.#nodes.filter(isAlive);
    const gone = alive.map((node) => once(node, 'exit'));
    for (const node of alive) node.kill('SIGKILL');
    await Promise.all(gone);
  }
}

async function answerOf(node: ChildProcess): Promise<unknown> {
  if (isAlive(node)) for await (const [answer] of on(node, 'message', { close: ['exit'] })) return answer;
  throw new Error('a process that takes part in the measurement has ended');
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** In a process of a crew: does what it is told and answers; ends with the process that started it. */
export function serveCrew<Told extends Verbs<Told>>(verbs: Told): void {
  process.on('message', async ([verb, given]: [keyof Told, never[]]) => {
    process.send?.((await verbs[verb](...given)) ?? null);
  });
  process.once('disconnect', () => process.exit());
  process.send?.(null);
}
