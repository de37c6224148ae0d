import type { Limits } from '../contract/limits.ts';
import type { OrderKey } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { isLive, type KnownStage } from '../contract/transaction.ts';
import { minPriority as lowestPriority } from '../contract/verdict.ts';
import { bySeq, SortedList } from '../memory/sorted-list.ts';
import { AgeLists } from './age-lists.ts';
import { Parking } from './parking.ts';
import {
  isCounted,
  isPlaced,
  mayLeave,
  type PlacedNode,
  type PoolNode,
  providing,
  type Standing,
  sayTheSame,
  type Unsettled,
  waitingNoMore,
} from './pool-node.ts';
import { Ranking } from './ranking.ts';
import { Satisfied } from './satisfied-tags.ts';
import { SenderIndex, TagIndex } from './tag-index.ts';
import { Totals } from './totals.ts';
import { type UndoEntry, UndoLog } from './undo-log.ts';

/** The values of a pool, other than transactions, as they were before a call. */
interface PoolScalars {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly floor: number;
  /** The tags that the call changed, with their ticks before it. */
  readonly tags: Map<string, number | undefined>;
}

/**
 * The entries of a priority pool and all indexes over them. The states of its transactions are in the `MemoryPool`. `undo`
 * reverts all changes since `begin`.
 */
export class PoolIndex {
  #limits: Limits;
  lastGossipSeq = 0;
  readonly satisfied: Satisfied = new Satisfied(
    (tag) => this.dependents.has(tag) || this.#dropped.has(tag) || this.#final.has(tag),
  );
  readonly order: Ranking = new Ranking(() => this.#limits.minPriority);
  readonly parked: SortedList<PoolNode, { readonly seq: number }> = new SortedList<PoolNode, { readonly seq: number }>(
    bySeq,
  );
  /** Built when parking is full for the first time, and kept up to date from then on. */
  #parking: Parking | null = null;
  readonly #senders = new SenderIndex(() => this.nodes());
  /** Live transactions by the tags that they provide. */
  readonly providers: TagIndex = new TagIndex();
  /** Live and Finalized transactions by the tags that they require. */
  readonly dependents: TagIndex = new TagIndex();
  /** Dropped transactions in the log, by the tags that they require. */
  readonly #dropped: TagIndex = new TagIndex();
  /** Finalized transactions in the log, by the tags that they provide. */
  readonly #final: TagIndex = new TagIndex();
  /** Claimed transactions by the id of the claim. */
  readonly claims: TagIndex = new TagIndex();
  readonly ages: AgeLists = new AgeLists();
  readonly totals: Totals = new Totals();
  #protectedParked = 0;
  readonly unsettled: Unsettled = { nodes: new Set(), tags: new Set() };
  readonly #nodes = new Map<string, PoolNode>();
  readonly #journal = new UndoLog();
  #outside: PoolScalars | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** A floor that moves unsettles what it crosses (P26, P29), and nothing else. */
  set limits(limits: Limits) {
    const [before, floor] = [this.#limits.minPriority, limits.minPriority];
    this.#limits = limits;
    if (floor === before) return;
    for (const node of this.order.crossedBy(before, floor)) this.unsettled.nodes.add(node);
    this.#unrank();
  }

  /** Parked transactions that follow the floor have changed their places among the others. */
  #unrank(): void {
    if (this.order.hasTips) this.#parking = null;
  }

  /** The number of Pending transactions whose effective priority is below the floor (P26). They are the end of the order. */
  get belowFloor(): number {
    const { minPriority: floor } = this.#limits;
    return floor === lowestPriority ? 0 : this.order.countBelow(floor);
  }

  /** The parked transactions that `maxParked` counts: those that are not protected (P28). */
  get parkedCount(): number {
    return this.parked.length - this.#protectedParked;
  }

  node(hash: string): PoolNode | undefined {
    return this.#nodes.get(hash);
  }

  get senders(): TagIndex {
    return this.#senders.index;
  }

  /** The parked transactions by how little they deserve their place; without those that never leave. */
  get parking(): Parking {
    this.#parking ??= new Parking(Iterator.from(this.parked).filter(isPlaced).filter(mayLeave));
    return this.#parking;
  }

  nodes(): IterableIterator<PoolNode> {
    return this.#nodes.values();
  }

  /** Adds a transaction, or writes its later state. A Pending transaction has no order key until `settle`. */
  put(entry: Entry, stage: KnownStage): PoolNode {
    const node = this.node(entry.hash);
    if (node !== undefined) return this.move(node, stage, entry);
    const fresh = this.#add({ entry, stage, place: null });
    this.#unsettle(fresh);
    return fresh;
  }

  /** Adds a Pending transaction without parents and dependents, with its order key. */
  stand(entry: Entry, place: OrderKey): PlacedNode {
    const node = this.node(entry.hash);
    const next = { entry, stage: 'Pending', place } as const;
    return (node === undefined ? this.#add(next) : this.#change(node, next)) as PlacedNode;
  }

  /** Writes the gossip number of a transaction. */
  number(node: PoolNode, gossipSeq: number): void {
    const { entry, stage, place } = node;
    this.#change(node, { entry: { ...entry, gossipSeq }, stage, place });
  }

  /** Writes the later state of a transaction. Returns the same node. */
  move(node: PoolNode, stage: KnownStage, next: Entry = node.entry): PoolNode {
    const { entry: before, stage: left, place } = node;
    const entry = stage === 'Pending' ? next : waitingNoMore(next);
    if (before === entry && left === stage) return node;
    const saysTheSame = before === entry || sayTheSame(before, entry);
    if (left === stage && saysTheSame) {
      this.#change(node, { entry, stage, place });
      // P20: held back no longer, it may be ready.
      if (before.notBefore !== entry.notBefore) this.unsettled.nodes.add(node);
      return node;
    }
    // A hash that was received again may provide other tags than before.
    if (!saysTheSame) this.#unsettle(node);
    this.#change(node, { entry, stage, place: null });
    if (!saysTheSame || providing(left) !== providing(stage)) this.#unsettle(node);
    return node;
  }

  /** Removes a transaction that left the log. This cannot be undone. */
  remove(hash: string): void {
    const node = this.node(hash);
    if (node === undefined) return;
    // One step may end a transaction and remove it from the log. A mirror then still has it as live.
    if (isLive(node.stage)) this.#unsettle(node);
    this.unsettled.nodes.delete(node);
    this.#forget(node);
  }

  /** Sets the order key of a Pending transaction. */
  place(node: PoolNode, place: OrderKey): void {
    this.#change(node, { entry: node.entry, stage: node.stage, place });
  }

  /** Notes that the chain satisfied a tag. The earliest block counts. */
  satisfy(tag: string, tick: number): void {
    const known = this.satisfied.tick(tag);
    if (known !== undefined && known <= tick) return;
    this.#rememberTag(tag);
    this.satisfied.set(tag, tick);
    this.unsettled.tags.add(tag);
  }

  /** Notes that a tag is no longer satisfied, or that no transaction requires it any more. */
  forget(tag: string): void {
    this.#rememberTag(tag);
    this.satisfied.delete(tag);
    this.unsettled.tags.add(tag);
  }

  /** Starts a call, or an attempt within the call. */
  begin(): void {
    if (!this.#journal.isOpen) this.#outside = this.#scalars();
    this.#journal.begin();
  }

  /** Ends the attempt if one is open, else the call. Its changes stay. */
  keep(): void {
    this.#journal.keep();
    if (!this.#journal.isOpen) this.#outside = null;
  }

  /** Ends the attempt if one is open, else the call, and reverts its changes. */
  undo(): void {
    this.#revert(this.#journal.end(), this.#outside);
    if (this.#journal.isOpen) return;
    this.#resetOutside(this.#outside);
    this.#outside = null;
  }

  /** Reverts all changes of the call, even if an error left an attempt open. */
  undoCall(): void {
    while (this.#journal.isOpen) this.undo();
  }

  /** The transactions that the call changed, with their state before it. */
  touched(): readonly UndoEntry[] {
    return this.#journal.touched();
  }

  /** The transactions that the attempt changed, with their state before it. */
  attempted(): readonly UndoEntry[] {
    return this.#journal.attempted();
  }

  /** The tags that the call changed, with their ticks before it. */
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

  #scalars(): PoolScalars {
    return { limits: this.limits, lastGossipSeq: this.lastGossipSeq, floor: this.satisfied.floor, tags: new Map() };
  }

  #revert(changes: Iterable<UndoEntry>, outside: PoolScalars | null): void {
    if (outside !== null && outside.limits.minPriority !== this.#limits.minPriority) this.#unrank();
    for (const { node, before } of changes) {
      if (before === null) this.#forget(node);
      else this.#set(node, before);
    }
    this.unsettled.nodes.clear();
    this.unsettled.tags.clear();
  }

  #resetOutside(outside: PoolScalars | null): void {
    if (outside === null) return;
    this.#limits = outside.limits;
    this.lastGossipSeq = outside.lastGossipSeq;
    this.satisfied.reset(outside.floor, outside.tags);
  }

  #add(standing: Standing): PoolNode {
    const { hash, seq } = standing.entry;
    const node: PoolNode = { hash, seq, ...standing };
    this.#nodes.set(hash, node);
    this.#journal.note(node, null);
    this.#attach(node, null);
    return node;
  }

  #change(node: PoolNode, next: Standing): PoolNode {
    this.#journal.note(node, this.#set(node, next));
    return node;
  }

  #forget(node: PoolNode): void {
    this.#detach(node, null);
    this.#nodes.delete(node.hash);
  }

  /** Writes a state. Returns the one before. */
  #set(node: PoolNode, { entry, stage, place }: Standing): Standing {
    const before = { entry: node.entry, stage: node.stage, place: node.place };
    this.#detach(node, { entry, stage, place });
    Object.assign(node, { seq: entry.seq, entry, stage, place });
    this.#attach(node, before);
    return before;
  }

  #unsettle(node: PoolNode): void {
    if (node.stage === 'Pending') this.unsettled.nodes.add(node);
    // A satisfied tag stays satisfied, whoever else provides it.
    for (const tag of node.entry.verdict.provides) if (!this.satisfied.has(tag)) this.unsettled.tags.add(tag);
  }

  /** Adds a transaction to all indexes in which it was not, or stood otherwise. */
  #attach(node: PoolNode, before: Standing | null): void {
    if (isOther(node, before)) this.#attachVerdict(node);
    if (before?.place !== node.place && isPlaced(node)) this.#attachPlace(node);
    if (before?.entry !== node.entry) this.#attachClaim(node);
    this.ages.add(node, before);
  }

  /** Removes a transaction from all indexes in which it will not be, or will stand otherwise. */
  #detach(node: PoolNode, next: Standing | null): void {
    this.ages.delete(node, next);
    if (next?.entry !== node.entry) this.#detachClaim(node);
    if (next?.place !== node.place && isPlaced(node)) this.#detachPlace(node);
    if (isOther(node, next)) this.#detachVerdict(node);
  }

  #attachVerdict(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    if (provides.length > 0) this.#providersIn(stage)?.add(provides, node);
    if (requires.length > 0) this.#requirers(stage).add(requires, node);
    this.#senders.add(node);
    if (isCounted(stage)) this.totals.add(entry);
  }

  #detachVerdict(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    this.#senders.delete(node);
    if (provides.length > 0) this.#providersIn(stage)?.delete(provides, node, (tag) => this.satisfied.noteFree(tag));
    if (requires.length > 0) this.#requirers(stage).delete(requires, node, (tag) => this.satisfied.noteFree(tag));
    if (isCounted(stage)) this.totals.remove(entry);
  }

  #providersIn(stage: KnownStage): TagIndex | null {
    if (isLive(stage)) return this.providers;
    return stage === 'Finalized' ? this.#final : null;
  }

  #requirers(stage: KnownStage): TagIndex {
    return stage === 'Dropped' ? this.#dropped : this.dependents;
  }

  #attachPlace(node: PlacedNode): void {
    this.order.insert(node);
    if (node.place.ready) return;
    this.parked.insert(node);
    if (node.entry.verdict.protected) this.#protectedParked += 1;
    if (mayLeave(node)) this.#parking?.add(node);
  }

  #detachPlace(node: PlacedNode): void {
    this.order.delete(node);
    if (node.place.ready) return;
    this.parked.delete(node);
    if (node.entry.verdict.protected) this.#protectedParked -= 1;
    if (mayLeave(node)) this.#parking?.delete(node);
  }

  #attachClaim(node: PoolNode): void {
    const { claim } = node.entry;
    if (claim !== null) this.claims.add([claim.id], node);
  }

  #detachClaim(node: PoolNode): void {
    const { claim } = node.entry;
    if (claim !== null) this.claims.delete([claim.id], node);
  }
}

/** True if the other state is in another stage, or of another verdict. */
function isOther({ stage, entry }: Standing, other: Standing | null): boolean {
  return other === null || other.stage !== stage || !sayTheSame(other.entry, entry);
}
