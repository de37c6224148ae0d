import type { Mempool } from 'mempool-core';
import { type CursorKind, cursorOf } from 'mempool-core/backend';

/** Returns the cursor of a number in the store's pool. */
export async function cursorAt(store: Mempool, kind: CursorKind, number: number): Promise<string> {
  return cursorOf(kind, number, (await store.tip()).epoch);
}
