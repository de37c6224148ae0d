/** What happens in one run, made of its name alone, so that every process knows all of it. */
import { createHash } from 'node:crypto';
import type { Block, ChainPoint, Transaction } from 'mempool-core';

export interface Plan {
  /** Makes the transactions and blocks of one run differ from those of any other. */
  readonly run: string;
  readonly nodes: number;
  /** The pool's tip when the run began. */
  readonly start: ChainPoint | null;
}

/** With these a transaction has three blocks to be seen in, and is final five blocks deep. */
export const thresholds = { finalizeThreshold: 5, dropThreshold: 4 };

const shareSize = 60;
/** The last ones of a share, which no block carries. */
const unlucky = 2;
/** The first ones of a share, which reach a second node as well. */
const gossiped = 5;
/** The last block finds every transaction final: its own event is the last one of the run. */
const chainLength = 8;

/** The transactions that users submit to a node, and those that its neighbour has sent it. */
export function arrivals(plan: Plan, node: number): Transaction[] {
  const neighbour = (node + 1) % plan.nodes;
  return [...share(plan, node), ...share(plan, neighbour).slice(0, gossiped)];
}

/** The transactions that a node takes care of. */
export function share(plan: Plan, node: number): Transaction[] {
  return Array.from({ length: shareSize }, (_, index) => {
    const digest = digestOf(plan, `transaction ${node} ${index}`);
    return { hash: digest.toString('hex'), payload: Buffer.alloc(400, digest), payloadType: 6 };
  });
}

/** The chain that wins. Its first three blocks carry the transactions; the second one also stands in a fork, which loses. */
export function chain(plan: Plan): Block[] {
  return Array.from({ length: chainLength }, (_, index) => block(plan, index, 'main'));
}

export function fork(plan: Plan): Block {
  return block(plan, 1, 'fork');
}

function block(plan: Plan, index: number, branch: string): Block {
  const parent = index === 0 ? plan.start?.hash : pointAt(plan, index - 1, 'main').hash;
  return { point: pointAt(plan, index, branch), parent, seen: seenIn(plan, index), unseen: [] };
}

function seenIn(plan: Plan, index: number): string[] {
  const shares = Array.from({ length: plan.nodes }, (_, node) => share(plan, node).slice(0, -unlucky));
  return shares.flatMap((transactions) => transactions.filter((_, at) => at % 3 === index).map(({ hash }) => hash));
}

function pointAt(plan: Plan, index: number, branch: string): ChainPoint {
  const slot = (plan.start?.slot ?? 0) + 20 * (index + 1);
  return { slot, hash: digestOf(plan, `block ${index} ${branch}`).toString('hex') };
}

function digestOf({ run }: Plan, what: string): Buffer {
  return createHash('sha256').update(`${run} ${what}`).digest();
}
