import type { Limits } from '../contract/limits.ts';
import type { OrderKey } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { isLive, type KnownStage } from '../contract/transaction.ts';
import { AgeLists } from './age-lists.ts';
import {
  type Before,
  isCounted,
  isPlaced,
  newNode,
  type PlacedNode,
  type PoolNode,
  providing,
  type UndoEntry,
  type Unsettled,
} from './pool-node.ts';
import { Ranking } from './ranking.ts';
import { Satisfied } from './satisfied-tags.ts';
import { SortedList } from './sorted-list.ts';
import { type PoolScalars, UndoLog } from './undo-log.ts';

/**
 * Everything a priority pool knows beyond the lives of its transactions, in every order it is asked for. What is changed
 * between `begin` and `undo` is as before again.
 */
export class PoolIndex {
  limits: Limits;
  lastGossipSeq = 0;
  readonly satisfied: Satisfied = new Satisfied((tag) => this.dependents.has(tag) || this.#dropped.has(tag));
  readonly order: Ranking = new Ranking();
  readonly parked: SortedList<PoolNode, { readonly seq: number }> = new SortedList({
    rough: ({ seq }) => seq,
    compare: (a, b) => a.seq - b.seq,
    show: () => undefined,
  });
  /** Live ones by what they provide. */
  readonly providers: TagIndex = new TagIndex();
  /** Live and Finalized ones by what they require. */
  readonly dependents: TagIndex = new TagIndex();
  /** Dropped ones in the log, by what they require. */
  readonly #dropped: TagIndex = new TagIndex();
  /** Those under a claim, by its id. */
  readonly claims: TagIndex = new TagIndex();
  readonly ages: AgeLists = new AgeLists(() => this.#nodes.values());
  readonly totals: Totals = new Totals();
  readonly unsettled: Unsettled = { nodes: new Set(), tags: new Set() };
  readonly #nodes = new Map<string, PoolNode>();
  readonly #journal = new UndoLog();
  #outside: PoolScalars | null = null;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  node(hash: string): PoolNode | undefined {
    return this.#nodes.get(hash);
  }

  nodes(): MapIterator<PoolNode> {
    return this.#nodes.values();
  }

  /** Takes in a transaction, or the later state of one. A Pending one has no place before it is settled. */
  put(entry: Entry, stage: KnownStage): PoolNode {
    const node = this.#nodes.get(entry.hash);
    if (node !== undefined) return this.move(node, stage, entry);
    const fresh = newNode(entry, stage);
    this.#nodes.set(entry.hash, fresh);
    if (this.#journal.note(fresh)) this.#journal.push(fresh, null);
    this.#attach(fresh);
    this.#unsettle(fresh);
    return fresh;
  }

  /** Takes in one that nobody waits for and that waits for nobody, in its place. */
  stand(entry: Entry, place: OrderKey): PlacedNode {
    const known = this.#nodes.get(entry.hash);
    const node = known ?? newNode(entry, 'Pending');
    if (known === undefined) {
      this.#nodes.set(entry.hash, node);
      if (this.#journal.note(node)) this.#journal.push(node, null);
      node.place = place;
      this.#attach(node);
    } else {
      this.#remember(node);
      this.#set(node, { entry, stage: 'Pending', place });
    }
    return node as PlacedNode;
  }

  /** Gives its number to one whose entry this call has made. */
  number(node: PoolNode, gossipSeq: number): void {
    this.ages.gossip.delete(node);
    (node.entry as { gossipSeq: number }).gossipSeq = gossipSeq;
    this.ages.gossip.add(node);
  }

  /** The later state of one. */
  move(node: PoolNode, stage: KnownStage, entry: Entry = node.entry): PoolNode {
    const { entry: before, stage: left } = node;
    if (before === entry && left === stage) return node;
    this.#remember(node);
    const saysTheSame = before.seq === entry.seq && before.version === entry.version;
    if (left === stage && saysTheSame) {
      this.#detachLists(node);
      node.entry = entry;
      this.#attachLists(node);
      return node;
    }
    // A new life may provide other tags than the one that ended.
    if (!saysTheSame) this.#unsettle(node);
    this.#set(node, { entry, stage, place: null });
    if (!saysTheSame || providing(left) !== providing(stage)) this.#unsettle(node);
    return node;
  }

  /** Of one that is no longer in the log. Not to be taken back. */
  remove(hash: string): void {
    const node = this.#nodes.get(hash);
    if (node === undefined) return;
    // A node that follows a long step has not been told the end of one that leaves the log within it.
    if (isLive(node.stage)) this.#unsettle(node);
    this.unsettled.nodes.delete(node);
    this.#forget(node);
  }

  /** Where a Pending one stands. */
  place(node: PoolNode, place: OrderKey): void {
    this.#remember(node);
    this.#detachPlace(node);
    node.place = place;
    this.#attachPlace(node);
  }

  /** The chain has done what a tag asks for. What it did first counts. */
  satisfy(tag: string, tick: number): void {
    const known = this.satisfied.tick(tag);
    if (known !== undefined && known <= tick) return;
    this.#rememberTag(tag);
    this.satisfied.set(tag, tick);
    this.unsettled.tags.add(tag);
  }

  /** It was undone, or nobody asks any more. */
  forget(tag: string): void {
    this.#rememberTag(tag);
    this.satisfied.delete(tag);
    this.unsettled.tags.add(tag);
  }

  /** Opens a call, or an attempt within it. */
  begin(): void {
    if (!this.#journal.isOpen) {
      const { limits, lastGossipSeq } = this;
      this.#outside = { limits, lastGossipSeq, floor: this.satisfied.floor, tags: new Map() };
    }
    this.#journal.begin();
  }

  /** Ends the attempt, else the call: what it changed stays. */
  keep(): void {
    this.#journal.keep();
    if (!this.#journal.isOpen) this.#outside = null;
  }

  /** Takes back what the attempt has changed, else what the call has. */
  undo(): void {
    for (const { node, before } of this.#journal.end()) this.#reset(node, before);
    this.unsettled.nodes.clear();
    this.unsettled.tags.clear();
    if (!this.#journal.isOpen) this.#resetOutside();
  }

  /** Takes back all that the call has changed, also where a fault has left an attempt open. */
  undoCall(): void {
    while (this.#journal.isOpen) this.undo();
  }

  /** What the call has touched. */
  touched(): readonly UndoEntry[] {
    return this.#journal.touched();
  }

  /** What the attempt has touched. */
  attempted(): readonly UndoEntry[] {
    return this.#journal.attempted();
  }

  /** The tags that the call has touched, with the ticks they had. */
  touchedTags(): ReadonlyMap<string, number | undefined> {
    return this.#outside?.tags ?? new Map();
  }

  get limitsTouched(): boolean {
    return this.#outside !== null && this.#outside.limits !== this.limits;
  }

  #rememberTag(tag: string): void {
    const tags = this.#outside?.tags;
    if (tags !== undefined && !tags.has(tag)) tags.set(tag, this.satisfied.tick(tag));
  }

  #resetOutside(): void {
    if (this.#outside === null) return;
    const { limits, lastGossipSeq, floor, tags } = this.#outside;
    this.#outside = null;
    this.limits = limits;
    this.lastGossipSeq = lastGossipSeq;
    this.satisfied.floor = floor;
    for (const [tag, tick] of tags) {
      if (tick === undefined) this.satisfied.delete(tag);
      else this.satisfied.set(tag, tick);
    }
  }

  #remember(node: PoolNode): void {
    if (!this.#journal.note(node)) return;
    this.#journal.push(node, { entry: node.entry, stage: node.stage, place: node.place });
  }

  #reset(node: PoolNode, before: Before): void {
    if (before !== null) this.#set(node, before);
    else this.#forget(node);
  }

  #forget(node: PoolNode): void {
    this.#detach(node);
    this.#nodes.delete(node.hash);
    node.seq = 0;
  }

  #set(node: PoolNode, { entry, stage, place }: Exclude<Before, null>): void {
    this.#detach(node);
    node.entry = entry;
    node.seq = entry.seq;
    node.stage = stage;
    node.place = place;
    this.#attach(node);
  }

  #unsettle(node: PoolNode): void {
    if (node.stage === 'Pending') this.unsettled.nodes.add(node);
    // What the chain has done does not depend on who else does it.
    for (const tag of node.entry.verdict.provides) if (!this.satisfied.has(tag)) this.unsettled.tags.add(tag);
  }

  #attach(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    if (provides.length > 0 && isLive(stage)) this.providers.add(provides, node);
    if (requires.length > 0) this.#requirers(stage).add(requires, node);
    if (isCounted(stage)) this.totals.add(entry);
    this.#attachPlace(node);
  }

  #detach(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    this.#detachPlace(node);
    if (provides.length > 0 && isLive(stage)) this.providers.delete(provides, node);
    if (requires.length > 0) this.#requirers(stage).delete(requires, node, (tag) => this.satisfied.noteFree(tag));
    if (isCounted(stage)) this.totals.remove(entry);
    node.place = null;
  }

  #requirers(stage: KnownStage): TagIndex {
    return stage === 'Dropped' ? this.#dropped : this.dependents;
  }

  #attachPlace(node: PoolNode): void {
    if (isPlaced(node)) {
      this.order.insert(node);
      if (!node.place.ready) this.parked.insert(node);
    }
    this.#attachLists(node);
  }

  #detachPlace(node: PoolNode): void {
    this.#detachLists(node);
    if (!isPlaced(node)) return;
    this.order.delete(node);
    if (!node.place.ready) this.parked.delete(node);
  }

  #attachLists(node: PoolNode): void {
    const { claim } = node.entry;
    if (claim !== null) this.claims.add([claim.id], node);
    this.ages.add(node);
  }

  #detachLists(node: PoolNode): void {
    const { claim } = node.entry;
    if (claim !== null) this.claims.delete([claim.id], node);
    this.ages.delete(node);
  }
}

const nobody: ReadonlySet<PoolNode> = new Set();

/** Which transactions name each tag. */
export class TagIndex {
  readonly #nodes = new Map<string, Set<PoolNode>>();

  of(tag: string): ReadonlySet<PoolNode> {
    return this.#nodes.get(tag) ?? nobody;
  }

  has(tag: string): boolean {
    return this.#nodes.has(tag);
  }

  add(tags: readonly string[], node: PoolNode): void {
    for (const tag of tags) {
      const nodes = this.#nodes.get(tag);
      if (nodes === undefined) this.#nodes.set(tag, new Set([node]));
      else nodes.add(node);
    }
  }

  /** Calls `onLast` with each tag that nobody names any more. */
  delete(tags: readonly string[], node: PoolNode, onLast?: (tag: string) => void): void {
    for (const tag of tags) {
      const nodes = this.#nodes.get(tag);
      if (nodes === undefined || !nodes.delete(node) || nodes.size > 0) continue;
      this.#nodes.delete(tag);
      onLast?.(tag);
    }
  }

  entries(): MapIterator<[string, Set<PoolNode>]> {
    return this.#nodes.entries();
  }
}

const gasUnit = 2 ** 26;

/** What the limits count: Pending, Propagated and Acknowledged transactions. */
export class Totals {
  transactions = 0;
  bytes = 0;
  /**
   * In two parts, each a safe integer: a sum of large ones would be rounded, and what leaves would not leave it as it
   * was.
   */
  #gasUnits = 0;
  #gasRest = 0;
  /** How many of each sender but the empty one. */
  readonly senders: Map<string, number> = new Map();

  get gas(): number {
    return this.#gasUnits * gasUnit + this.#gasRest;
  }

  add(entry: Entry): void {
    this.#count(entry, 1);
  }

  remove(entry: Entry): void {
    this.#count(entry, -1);
  }

  #count({ bytes, verdict: { gas, sender } }: Entry, by: 1 | -1): void {
    this.transactions += by;
    this.bytes += by * bytes;
    this.#gasUnits += by * Math.floor(gas / gasUnit);
    this.#gasRest += by * (gas % gasUnit);
    if (sender === '') return;
    const count = (this.senders.get(sender) ?? 0) + by;
    if (count === 0) this.senders.delete(sender);
    else this.senders.set(sender, count);
  }
}
