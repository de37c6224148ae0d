import type { ConfiguredExtension } from '../config/extension.ts';
import type { Edge, EdgeExtension, EdgeParts } from './edge.ts';

/** Opens all edges of a configuration. If one fails, it opens none. @throws the errors of `EdgeExtension.open` */
export async function openEdges(
  parts: EdgeParts,
  configured: Readonly<Record<string, ConfiguredExtension>>,
): Promise<ReadonlyMap<string, Edge>> {
  const edges = new Map<string, Edge>();
  try {
    for (const [name, { extension, options }] of Object.entries(configured)) {
      // The options were checked by the schema of the same extension.
      const { open } = extension as EdgeExtension<unknown>;
      edges.set(name, await open(parts, options));
    }
    return edges;
  } catch (error) {
    for (const edge of edges.values()) await edge.stop(Promise.resolve(), 0);
    throw error;
  }
}
