import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Running, startProgram } from 'mempool-testkit';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The relayer over its lives, of which the test ends some with SIGKILL. A client listens to its events over all of them. */
export class Relayer {
  /** The id of each event that the client read. */
  readonly read: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  #running: Running | null = null;
  #url = '';
  #listening: Promise<void> = Promise.resolve();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = { ...env, PORT: '0' };
  }

  async start(): Promise<void> {
    const running = startProgram([program], { env: this.#env });
    this.#running = running;
    const port = once(running.child.stdout ?? running.child, 'data').then(([line]) => String(line).trim());
    const ended = running.ended.then(({ stderr }) => Promise.reject(new Error(`the relayer ended: ${stderr}`)));
    this.#url = `http://127.0.0.1:${await Promise.race([port, ended])}`;
    ended.catch(() => undefined);
    this.#listening = this.#listen();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.#running?.child.kill(signal);
    const ended = await this.#running?.ended;
    await this.#listening;
    return ended?.code ?? null;
  }

  async submit(payload: string): Promise<{ readonly kind: string; readonly hash: string }> {
    const answer = await fetch(`${this.#url}/transactions`, { method: 'POST', body: payload });
    return answer.json() as Promise<{ readonly kind: string; readonly hash: string }>;
  }

  async stage(hash: string): Promise<string> {
    const answer = await fetch(`${this.#url}/transactions/${hash}`);
    const { stage } = (await answer.json()) as { readonly stage: string };
    return stage;
  }

  /** The ids of the events after this one, as a client gets them that has read nothing else, up to the last one given. */
  async eventsAfter(id: string, last: string | undefined): Promise<string[]> {
    const ids: string[] = [];
    for await (const each of this.#events({ 'last-event-id': id })) {
      ids.push(each);
      if (each === last) break;
    }
    return ids;
  }

  async #listen(): Promise<void> {
    const last = this.read.at(-1);
    try {
      for await (const id of this.#events(last === undefined ? {} : { 'last-event-id': last })) this.read.push(id);
    } catch {
      // The relayer was killed. The client goes on after the last event that it read.
    }
  }

  async *#events(headers: Record<string, string>): AsyncGenerator<string> {
    const { body } = await fetch(`${this.#url}/events`, { headers });
    if (body === null) return;
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const messages = (rest + text).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) yield /^id: (.+)$/m.exec(message)?.[1] ?? `none: ${message}`;
    }
  }
}
