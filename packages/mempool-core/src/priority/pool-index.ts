import type { Limits } from '../contract/limits.ts';
import type { OrderKey } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { isLive, type KnownStage } from '../contract/transaction.ts';
import { minPriority as lowestPriority } from '../contract/verdict.ts';
import { noSlot, Slots } from '../memory/slots.ts';
import { nobodysTag } from '../rules/damage.ts';
import { AgeLists } from './age-lists.ts';
import { NodeTable } from './node-table.ts';
import { Parking } from './parking.ts';
import {
  type Before,
  isCounted,
  isHeld,
  isLostOut,
  isPlaced,
  mayLeave,
  type PlacedNode,
  type PoolNode,
  providing,
  sayTheSame,
  setEntry,
  type UndoEntry,
  type Unsettled,
  waitingNoMore,
} from './pool-node.ts';
import { Ranking } from './ranking.ts';
import { Satisfied } from './satisfied-tags.ts';
import { bySeq, type Sequenced, SortedList } from './sorted-list.ts';
import { SenderIndex, TagIndex } from './tag-index.ts';
import { Totals } from './totals.ts';
import { type PoolScalars, UndoLog } from './undo-log.ts';

/**
 * The entries of a priority pool and all indexes over them. The states of its transactions are in the `MemoryPool`. `undo`
 * reverts all changes since `begin`.
 */
export class PoolIndex {
  #limits: Limits;
  lastGossipSeq = 0;
  readonly satisfied: Satisfied = new Satisfied((tag) => this.dependents.has(tag) || this.#dropped.has(tag));
  readonly order: Ranking = new Ranking(() => this.#limits.minPriority);
  readonly parked: SortedList<PoolNode, Sequenced> = new SortedList<PoolNode, Sequenced>(bySeq);
  /** Built when parking is full for the first time, and kept up to date from then on. */
  #parking: Parking | null = null;
  readonly #senders = new SenderIndex(() => this.nodes());
  /** Live transactions by the tags that they provide. */
  readonly providers: TagIndex = new TagIndex();
  /** Live and Finalized transactions by the tags that they require. */
  readonly dependents: TagIndex = new TagIndex();
  /** Dropped transactions in the log, by the tags that they require. */
  readonly #dropped: TagIndex = new TagIndex();
  /** M2: damaged ones that are in flight or Confirmed. Each may provide any tag. */
  readonly lostOut: Set<PoolNode> = new Set();
  /** Claimed transactions by the id of the claim. */
  readonly claims: TagIndex = new TagIndex();
  readonly ages: AgeLists;
  readonly totals: Totals = new Totals();
  #protectedParked = 0;
  /** The number of Pending transactions that are held back (P20). */
  heldCount = 0;
  readonly unsettled: Unsettled = { nodes: new Set(), tags: new Set() };
  readonly #nodes: NodeTable;
  readonly #journal = new UndoLog();
  #outside: PoolScalars | null = null;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#nodes = new NodeTable(new Slots());
    this.ages = new AgeLists(this.#nodes);
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
    return this.#nodes.find(hash);
  }

  get senders(): TagIndex {
    return this.#senders.index;
  }

  /** The parked transactions by how little they deserve their place; without those that never leave. */
  get parking(): Parking {
    this.#parking ??= new Parking(Iterator.from(this.parked).filter(isPlaced).filter(mayLeave));
    return this.#parking;
  }

  nodes(): Generator<PoolNode, undefined> {
    return this.#nodes.all();
  }

  /** Adds a transaction, or writes its later state. A Pending transaction has no order key until `settle`. */
  put(entry: Entry, stage: KnownStage): PoolNode {
    const node = this.node(entry.hash);
    if (node !== undefined) return this.move(node, stage, entry);
    const fresh = this.#nodes.add(entry, stage);
    if (this.#journal.note(fresh)) this.#journal.push(fresh, null);
    this.#attach(fresh);
    this.#unsettle(fresh);
    return fresh;
  }

  /** Adds a Pending transaction without parents and dependents, with its order key. */
  stand(entry: Entry, place: OrderKey): PlacedNode {
    const known = this.node(entry.hash);
    const node = known ?? this.#nodes.add(entry, 'Pending');
    if (known === undefined) {
      if (this.#journal.note(node)) this.#journal.push(node, null);
      node.place = place;
      this.#attach(node);
    } else {
      this.#remember(node);
      this.#set(node, { entry, stage: 'Pending', place });
    }
    return node as PlacedNode;
  }

  /** Sets the gossip number of an entry that this call made. */
  number(node: PoolNode, gossipSeq: number): void {
    this.ages.number(node, gossipSeq);
  }

  /** Writes the later state of a transaction. Returns the same node. */
  move(node: PoolNode, stage: KnownStage, next: Entry = node.entry): PoolNode {
    const { entry: before, stage: left } = node;
    const isSame = next === before && (stage === 'Pending' || node.isPlain);
    const entry = isSame || stage === 'Pending' ? next : waitingNoMore(next);
    if (before === entry && left === stage) return node;
    this.#remember(node);
    const saysTheSame = isSame || sayTheSame(before, entry);
    if (left === stage && saysTheSame) {
      this.#detachLists(node);
      setEntry(node, entry);
      this.#attachLists(node);
      // P20: held back no longer, it may be ready.
      if (before.notBefore !== entry.notBefore) this.unsettled.nodes.add(node);
      return node;
    }
    // A hash that was received again may provide other tags than before.
    if (!saysTheSame) this.#unsettle(node);
    this.#set(node, { entry, stage, place: null });
    if (!saysTheSame || providing(left) !== providing(stage)) this.#unsettle(node);
    return node;
  }

  /** Drops a transaction for a newcomer. A plain one that is ready and the last of the order leaves without a look at its key. */
  evict(node: PlacedNode): void {
    if (!node.isPlain || !this.order.isLastReady(node)) {
      this.move(node, 'Dropped');
      return;
    }
    this.#remember(node);
    this.ages.delete(node.slot);
    this.order.pop();
    this.totals.removePlain(node.bytes);
    node.stage = 'Dropped';
    (node as PoolNode).place = null;
    this.ages.addEvicted(node.slot);
    this.#nodes.idle(node.slot);
  }

  /** Removes a transaction that left the log. This cannot be undone. */
  remove(hash: string): void {
    const slot = this.#nodes.slotOf(hash);
    if (slot === noSlot) return;
    // It is in no index but by age then, and far away: it was written long ago.
    if (this.#nodes.isIdle(slot)) {
      this.#nodes.free(slot);
      return;
    }
    const node = this.#nodes.at(slot);
    if (node === undefined) return;
    // One step may end a transaction and remove it from the log. A mirror then still has it as live.
    if (isLive(node.stage)) this.#unsettle(node);
    this.unsettled.nodes.delete(node);
    this.#forget(node);
  }

  /** Sets the order key of a Pending transaction. */
  place(node: PoolNode, place: OrderKey): void {
    this.#remember(node);
    this.#detachPlace(node);
    node.place = place;
    this.#attachPlace(node);
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

  #revert(changes: readonly UndoEntry[], outside: PoolScalars | null): void {
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

  #remember(node: PoolNode): void {
    this.#nodes.awake(node.slot);
    if (!this.#journal.note(node)) return;
    this.#journal.push(node, { entry: node.entry, stage: node.stage, place: node.place });
  }

  #forget(node: PoolNode): void {
    this.#detach(node);
    this.#nodes.free(node.slot);
    node.seq = 0;
  }

  #set(node: PoolNode, { entry, stage, place }: Exclude<Before, null>): void {
    this.#nodes.awake(node.slot);
    this.#detach(node);
    if (node.entry !== entry) setEntry(node, entry);
    node.stage = stage;
    node.place = place;
    this.#attach(node);
  }

  #unsettle(node: PoolNode): void {
    if (node.stage === 'Pending') this.unsettled.nodes.add(node);
    if (node.isPlain) return;
    // A satisfied tag stays satisfied, whoever else provides it.
    for (const tag of node.entry.verdict.provides) if (!this.satisfied.has(tag)) this.unsettled.tags.add(tag);
  }

  #attach(node: PoolNode): void {
    if (!node.isPlain) this.#attachTags(node);
    else if (isCounted(node.stage)) this.totals.addPlain(node.bytes);
    this.#attachPlace(node);
  }

  #attachTags(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    if (provides.length > 0 && isLive(stage)) this.providers.add(provides, node);
    if (requires.length > 0) this.#requirers(stage).add(requires, node);
    this.#senders.add(node);
    if (isLostOut(node)) this.lostOut.add(node);
    if (isCounted(stage)) this.totals.add(entry);
  }

  #detach(node: PoolNode): void {
    this.#detachPlace(node);
    if (!node.isPlain) this.#detachTags(node);
    else if (isCounted(node.stage)) this.totals.removePlain(node.bytes);
    node.place = null;
  }

  #detachTags(node: PoolNode): void {
    const { entry, stage } = node;
    const { provides, requires } = entry.verdict;
    this.#senders.delete(node);
    if (provides.length > 0 && isLive(stage)) this.providers.delete(provides, node);
    if (requires.length > 0) this.#requirers(stage).delete(requires, node, (tag) => this.satisfied.noteFree(tag));
    // What is parked may have waited for the last one.
    if (this.lostOut.delete(node) && this.lostOut.size === 0) this.unsettled.tags.add(nobodysTag);
    if (isCounted(stage)) this.totals.remove(entry);
  }

  #requirers(stage: KnownStage): TagIndex {
    return stage === 'Dropped' ? this.#dropped : this.dependents;
  }

  #attachPlace(node: PoolNode): void {
    if (isPlaced(node)) {
      this.order.insert(node);
      if (!node.place.ready) {
        this.parked.insert(node);
        if (node.entry.verdict.protected) this.#protectedParked += 1;
        if (mayLeave(node)) this.#parking?.add(node);
      }
    }
    this.#attachLists(node);
  }

  #detachPlace(node: PoolNode): void {
    this.#detachLists(node);
    if (!isPlaced(node)) return;
    this.order.delete(node);
    if (node.place.ready) return;
    this.parked.delete(node);
    if (node.entry.verdict.protected) this.#protectedParked -= 1;
    if (mayLeave(node)) this.#parking?.delete(node);
  }

  #attachLists(node: PoolNode): void {
    this.ages.add(node);
    if (node.isPlain) return;
    const { claim } = node.entry;
    if (claim !== null) this.claims.add([claim.id], node);
    if (isHeld(node)) this.heldCount += 1;
  }

  #detachLists(node: PoolNode): void {
    this.ages.delete(node.slot);
    if (node.isPlain) return;
    const { claim } = node.entry;
    if (claim !== null) this.claims.delete([claim.id], node);
    if (isHeld(node)) this.heldCount -= 1;
  }
}
