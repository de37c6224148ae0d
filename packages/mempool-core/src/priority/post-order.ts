import type { PoolNode } from './pool-node.ts';

interface Turn {
  readonly node: PoolNode;
  readonly further: Iterator<PoolNode>;
}

/**
 * All that a walk meets from these on, these included, each once: behind everything that it leads to, where there is no
 * circle.
 */
export function postOrder(starts: Iterable<PoolNode>, next: (node: PoolNode) => Iterable<PoolNode>): PoolNode[] {
  const met = new Set<PoolNode>();
  const ordered: PoolNode[] = [];
  const path: Turn[] = [];
  const enter = (node: PoolNode): void => {
    if (met.has(node)) return;
    met.add(node);
    path.push({ node, further: next(node)[Symbol.iterator]() });
  };
  for (const start of starts) {
    enter(start);
    // A loop: a chain may be longer than the stack is deep.
    for (let turn = path.at(-1); turn !== undefined; turn = path.at(-1)) {
      const { done, value } = turn.further.next();
      if (!done) enter(value);
      else {
        ordered.push(turn.node);
        path.pop();
      }
    }
  }
  return ordered;
}
