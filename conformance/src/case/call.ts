import { isMempoolError, type MempoolErrorCode } from 'mempool-core';
import type { TestedPool } from './tested-pool.ts';

type WriteVerb =
  | 'receive'
  | 'markInflight'
  | 'markAcknowledged'
  | 'complete'
  | 'release'
  | 'drop'
  | 'confirm'
  | 'rollback';

/** One call of a mutating verb, as data. */
export type Call = {
  [V in WriteVerb]: { readonly verb: V; readonly args: Parameters<TestedPool[V]> };
}[WriteVerb];

/** A call of `import`, which the model does not have. */
export interface ImportCall {
  readonly verb: 'import';
  readonly args: readonly [lines: readonly string[]];
}

/** The verbs that change a pool, of a store or of the model. The model returns answers without a promise. */
export type Callable = {
  [V in WriteVerb]: (
    ...args: Parameters<TestedPool[V]>
  ) => ReturnType<TestedPool[V]> | Awaited<ReturnType<TestedPool[V]>>;
};

export type Answer = { readonly value: unknown } | { readonly code: MempoolErrorCode };

/** Makes the call. A `MempoolError` becomes an answer; any other error is thrown. */
export async function perform(target: Callable, call: Call): Promise<Answer> {
  try {
    return { value: await dispatch(target, call) };
  } catch (error) {
    if (!isMempoolError(error)) throw error;
    return { code: error.code };
  }
}

function dispatch(target: Callable, call: Call): unknown {
  switch (call.verb) {
    case 'receive':
      return target.receive(...call.args);
    case 'markInflight':
      return target.markInflight(...call.args);
    case 'markAcknowledged':
      return target.markAcknowledged(...call.args);
    case 'complete':
      return target.complete(...call.args);
    case 'release':
      return target.release(...call.args);
    case 'drop':
      return target.drop(...call.args);
    case 'confirm':
      return target.confirm(...call.args);
    case 'rollback':
      return target.rollback(...call.args);
  }
}

/** Returns the call as a line of code. */
export function callAsCode({ verb, args }: { readonly verb: string; readonly args: readonly unknown[] }): string {
  return `await store.${verb}(${args.map(literal).join(', ')});`;
}

/** Large payloads of one repeated byte stay readable. */
function bytesAsCode(bytes: Uint8Array): string {
  const [first] = bytes;
  if (bytes.length > 64 && bytes.every((byte) => byte === first)) return `Buffer.alloc(${bytes.length}, ${first})`;
  return `Buffer.from('${Buffer.from(bytes).toString('hex')}', 'hex')`;
}

function literal(value: unknown): string {
  if (value instanceof Uint8Array) return bytesAsCode(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${literal(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
