import { isLive, type KnownStage } from '../transaction.ts';
import { AgeLists } from './age-lists.ts';
import type { Entry } from './entry.ts';
import type { Limits } from './limits.ts';
import { comparePlaces, type Place } from './place.ts';
import { isCounted, type PlacedNode, type PoolNode } from './pool-node.ts';
import { Satisfied } from './satisfied.ts';
import { SortedList } from './sorted-list.ts';
import { TagIndex } from './tag-index.ts';

/** What a transaction was before a call, or before one attempt of it; `null`: not there. */
type Before = { readonly entry: Entry; readonly stage: KnownStage; readonly place: Place | null } | null;
type Layer = Map<string, Before>;

/** What a call may change beside transactions, as it was. */
interface Outside {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly floor: number;
  /** Tags that the call touched. */
  readonly tags: Map<string, number | undefined>;
}

/** By seq. */
function bySeq(a: PoolNode, b: PoolNode): number {
  return a.entry.seq - b.entry.seq;
}

/**
 * Everything a priority pool knows beyond the lives of its transactions, in every order it is asked for. What is changed
 * between `begin` and `undo` is as before again.
 */
export class PoolIndex {
  limits: Limits;
  lastGossipSeq = 0;
  readonly satisfied: Satisfied = new Satisfied((tag) => this.dependents.has(tag));
  /** The one order: every Pending transaction that is placed. */
  readonly order: SortedList<PlacedNode, { readonly place: Place }> = new SortedList((a, b) =>
    comparePlaces(a.place, b.place),
  );
  readonly pending: SortedList<PoolNode> = new SortedList(bySeq);
  readonly parked: SortedList<PoolNode> = new SortedList(bySeq);
  /** Live ones by what they provide. */
  readonly providers: TagIndex = new TagIndex();
  /** Live and Finalized ones by what they require. */
  readonly dependents: TagIndex = new TagIndex();
  readonly senders: Map<string, number> = new Map();
  /** Those under a lease, by its id. */
  readonly leases: TagIndex = new TagIndex();
  readonly ages: AgeLists = new AgeLists(() => this.#nodes.values());
  readonly totals = { transactions: 0, bytes: 0, gas: 0 };
  /** What has to be placed anew, and whose dependents have to be. */
  readonly unsettled = { nodes: new Set<PoolNode>(), tags: new Set<string>() };
  readonly #nodes = new Map<string, PoolNode>();
  readonly #layers: Layer[] = [];
  #outside: Outside | null = null;

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
    this.#remember(entry.hash, node);
    const before = node?.entry;
    if (node?.stage === stage && before?.verdict === entry.verdict && before.seq === entry.seq)
      return this.#rewrite(node, entry);
    if (node !== undefined) this.#detach(node);
    const next = this.#attach(node, { entry, stage, place: null }, entry.hash);
    if (stage === 'Pending') this.unsettled.nodes.add(next);
    for (const tag of entry.verdict.provides) this.unsettled.tags.add(tag);
    return next;
  }

  /** Of one that is no longer in the log. */
  remove(hash: string): void {
    const node = this.#nodes.get(hash);
    if (node === undefined) return;
    this.#remember(hash, node);
    this.#detach(node);
    this.#nodes.delete(hash);
  }

  /** Where a Pending one stands. */
  place(node: PoolNode, place: Place): void {
    this.#remember(node.hash, node);
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
    this.#layers.push(new Map());
    if (this.#layers.length > 1) return;
    const { limits, lastGossipSeq } = this;
    this.#outside = { limits, lastGossipSeq, floor: this.satisfied.floor, tags: new Map() };
  }

  /** Ends the innermost attempt: what it changed stays, as far as the call around it stays. */
  keep(): void {
    const layer = this.#layers.pop();
    const outer = this.#layers.at(-1);
    if (outer === undefined) this.#outside = null;
    if (layer === undefined || outer === undefined) return;
    for (const [hash, before] of layer) if (!outer.has(hash)) outer.set(hash, before);
  }

  /** Takes back what the innermost attempt changed. */
  undo(): void {
    const layer = this.#layers.pop() ?? new Map<string, Before>();
    for (const [hash, before] of layer) this.#reset(hash, before);
    if (this.#layers.length === 0) this.#resetOutside();
    this.unsettled.nodes.clear();
    this.unsettled.tags.clear();
  }

  /** What was touched since the outermost `begin`, and what it was then. */
  touched(): ReadonlyMap<string, Before> {
    return this.#layers[0] ?? new Map();
  }

  /** What was touched since the innermost `begin`. */
  attempted(): ReadonlyMap<string, Before> {
    return this.#layers.at(-1) ?? new Map();
  }

  /** The tags touched since the outermost `begin`, with the ticks they had. */
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

  #remember(hash: string, node: PoolNode | undefined): void {
    const layer = this.#layers.at(-1);
    if (layer === undefined || layer.has(hash)) return;
    layer.set(hash, node === undefined ? null : { entry: node.entry, stage: node.stage, place: node.place });
  }

  #reset(hash: string, before: Before): void {
    const node = this.#nodes.get(hash);
    if (node !== undefined) this.#detach(node);
    if (before !== null) this.#attach(node, before, hash);
    else this.#nodes.delete(hash);
  }

  /** What stands in no list but those that ages, peers and leases make. */
  #rewrite(node: PoolNode, entry: Entry): PoolNode {
    this.#detachLists(node);
    node.entry = entry;
    this.#attachLists(node);
    return node;
  }

  #attach(known: PoolNode | undefined, { entry, stage, place }: Exclude<Before, null>, hash: string): PoolNode {
    const node = known ?? { hash, entry, stage, place };
    if (known === undefined) this.#nodes.set(hash, node);
    node.entry = entry;
    node.stage = stage;
    node.place = place;
    const { provides, requires } = entry.verdict;
    if (provides.length > 0 && isLive(stage)) this.providers.add(provides, node);
    if (requires.length > 0 && stage !== 'Dropped') this.dependents.add(requires, node);
    if (isCounted(stage)) this.#count(entry, 1);
    if (stage === 'Pending') this.pending.insert(node);
    this.#attachPlace(node);
    return node;
  }

  #detach(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    this.#detachPlace(node);
    if (provides.length > 0 && isLive(stage)) this.providers.delete(provides, node);
    if (requires.length > 0 && stage !== 'Dropped')
      this.dependents.delete(requires, node, (tag) => this.satisfied.noteFree(tag));
    if (isCounted(stage)) this.#count(entry, -1);
    if (stage === 'Pending') this.pending.delete(node);
    node.place = null;
  }

  #attachPlace(node: PoolNode): void {
    if (isPlaced(node)) {
      this.order.insert(node);
      if (!node.place.ready) this.parked.insert(node);
    }
    this.#attachLists(node);
  }

  #attachLists(node: PoolNode): void {
    const { lease } = node.entry;
    if (lease !== null) this.leases.add([lease.id], node);
    this.ages.add(node);
  }

  #detachLists(node: PoolNode): void {
    const { lease } = node.entry;
    if (lease !== null) this.leases.delete([lease.id], node);
    this.ages.delete(node);
  }

  #detachPlace(node: PoolNode): void {
    this.#detachLists(node);
    if (!isPlaced(node)) return;
    this.order.delete(node);
    if (!node.place.ready) this.parked.delete(node);
  }

  #count({ bytes, verdict: { gas, sender } }: Entry, by: 1 | -1): void {
    const { totals, senders } = this;
    totals.transactions += by;
    totals.bytes += by * bytes;
    totals.gas += by * gas;
    if (sender === '') return;
    const count = (senders.get(sender) ?? 0) + by;
    if (count === 0) senders.delete(sender);
    else senders.set(sender, count);
  }
}

function isPlaced(node: PoolNode): node is PlacedNode {
  return node.place !== null;
}
