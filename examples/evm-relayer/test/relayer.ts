import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Running, startProgram } from 'mempool-testkit';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The relayer in a process of its own, over its lives. */
export class Relayer {
  readonly #env: NodeJS.ProcessEnv;
  #running: Running | null = null;
  #url = '';

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = { ...env, PORT: '0', POLL_MS: '20', CLAIM_MS: '500', ATTEMPTS: '3' };
  }

  async start(): Promise<void> {
    const running = startProgram([program], { env: this.#env });
    this.#running = running;
    const port = once(running.child.stdout ?? running.child, 'data').then(([line]) => String(line).trim());
    const ended = running.ended.then(({ stderr }) => Promise.reject(new Error(`the relayer ended: ${stderr}`)));
    ended.catch(() => undefined);
    this.#url = `http://127.0.0.1:${await Promise.race([port, ended])}`;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.#running?.child.kill(signal);
    return (await this.#running?.ended)?.code ?? null;
  }

  /** Returns the kind of the outcome, or the reason of a refusal. */
  async submit(raw: string): Promise<string> {
    const answer = await fetch(`${this.#url}/transactions`, { method: 'POST', body: raw });
    const { kind, log, parked, error } = (await answer.json()) as Record<string, string | boolean | undefined>;
    return String(log ?? error ?? (parked === true ? 'parked' : kind));
  }

  async stage(hash: string): Promise<string> {
    const answer = await fetch(`${this.#url}/transactions/${hash}`);
    return ((await answer.json()) as { readonly stage: string }).stage;
  }
}
