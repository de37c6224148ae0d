import type { ConfiguredExtension } from '../config/extension.ts';
import type { Opened } from '../http/opened.ts';
import type { Extension, ExtensionParts } from './extension.ts';

/** The open extensions of a server, by their sections. */
export class OpenExtensions implements AsyncDisposable {
  readonly opened: Map<string, Opened> = new Map();
  #isStopped = false;

  private constructor() {}

  /** Opens all in their order. If one fails, it closes those before it. @throws the errors of `Extension.open` */
  static async open(
    parts: ExtensionParts,
    configured: Readonly<Record<string, ConfiguredExtension>>,
  ): Promise<OpenExtensions> {
    const extensions = new OpenExtensions();
    try {
      for (const [section, { extension, options }] of Object.entries(configured)) {
        // The options were checked by the schema of the same extension.
        const { open } = extension as Extension<unknown>;
        extensions.opened.set(section, await open(parts, options));
      }
      return extensions;
    } catch (error) {
      await extensions[Symbol.asyncDispose]().catch(() => undefined);
      throw error;
    }
  }

  /** Stops all ports, as `Opened.stop`. */
  async stop(drained: Promise<void>, drainMs: number): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Array.from(this.opened.values(), (each) => each.stop?.(drained, drainMs)));
  }

  /** Stops the ports that are not stopped yet, and closes the last extension first. @throws the first error */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isStopped) await this.stop(Promise.resolve(), 0);
    await closeAll(Array.from(this.opened.values(), (each) => ({ [Symbol.asyncDispose]: async () => each.close?.() })));
  }
}

/** Closes the last one first, and each even if one before it fails. Node 22 has no `AsyncDisposableStack`. @throws the first error */
export async function closeAll(open: readonly AsyncDisposable[]): Promise<void> {
  const errors: unknown[] = [];
  for (const each of open.toReversed()) {
    try {
      await each[Symbol.asyncDispose]();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
