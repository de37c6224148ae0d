import type { VNode } from 'preact';
import { shortHash } from '../format/words.ts';

/** A transaction that can be looked at. */
export function HashLink({ hash }: { readonly hash: string }): VNode {
  return (
    <a class="hash" href={`#tx=${hash}`} title={hash}>
      {shortHash(hash)}
    </a>
  );
}

/** Shows a transaction in the drawer. */
export function openTransaction(hash: string): void {
  location.hash = `tx=${hash}`;
}
