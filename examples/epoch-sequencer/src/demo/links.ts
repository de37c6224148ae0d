import { startProxy, type TcpProxy } from 'mempool-testkit';

/** The connections between validators' gateways: a proxy for each pair, so that they can be cut. */
export class Links implements AsyncDisposable {
  /** By pair, the lower number first. */
  readonly #proxies = new Map<string, TcpProxy>();

  /** Opens a proxy in front of each gateway for each validator with a higher number. `ports`: of the gateways. */
  static async open(ports: readonly number[]): Promise<Links> {
    const links = new Links();
    for (const [to, port] of ports.entries())
      for (let from = to + 1; from < ports.length; from++)
        links.#proxies.set(`${to}-${from}`, await startProxy(`redis://127.0.0.1:${port}`));
    return links;
  }

  /** The addresses that a validator's gateway calls: the addresses of the validators with lower numbers. */
  peersOf(validator: number): string[] {
    const mine = [...this.#proxies].filter(([pair]) => pair.endsWith(`-${validator}`));
    return mine.map(([, { url }]) => `/ip4/127.0.0.1/tcp/${new URL(url).port}`);
  }

  /** Cuts these validators off from all other validators. They still reach each other. */
  cut(validators: readonly number[]): void {
    for (const proxy of this.#around(validators)) proxy.down();
  }

  heal(validators: readonly number[]): void {
    for (const proxy of this.#around(validators)) proxy.thaw();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.#proxies.values()) await proxy.close();
  }

  #around(validators: readonly number[]): TcpProxy[] {
    const crosses = (pair: string): boolean => {
      const inside = pair.split('-').filter((each) => validators.includes(Number(each)));
      return inside.length === 1;
    };
    return [...this.#proxies].flatMap(([pair, proxy]) => (crosses(pair) ? [proxy] : []));
  }
}
