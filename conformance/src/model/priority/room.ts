import type { Limits } from './entry.ts';
import {
  ancestorsOf,
  ascending,
  descendantsOf,
  type Graph,
  isMet,
  type Member,
  orderOf,
  parkedOf,
  providersOf,
  type Ranked,
} from './graph.ts';

type LimitName = 'maxAncestors' | 'maxDescendants';

interface Terms {
  readonly limits: Limits;
  /** How many parked ones may leave for me if I wait as they do. */
  readonly evictions: number;
  /** The tags that I required before. */
  readonly required?: readonly string[];
}

type Room = { readonly limit: LimitName } | { readonly left: readonly Member[]; readonly evicted: number };

/**
 * P22: what waits leaves, and not what it waits for. `before` is the pool without me, or with my earlier verdict; `after` has me.
 */
export function roomFor(before: Graph, after: Graph, me: Member, terms: Terms): Room {
  const room = new RoomFor(before, after, me, terms);
  const limit = room.refusedBy();
  return limit === null ? { left: room.left, evicted: room.evicted } : { limit };
}

class RoomFor {
  readonly left: Member[] = [];
  evicted = 0;
  readonly #parked: readonly Ranked[];
  readonly #mine: Ranked | undefined;
  readonly #above: readonly string[];
  readonly #after: Graph;
  readonly #me: Member;
  readonly #terms: Terms;

  constructor(before: Graph, after: Graph, me: Member, terms: Terms) {
    this.#parked = orderOf(before).filter(({ hash, place }) => !place.ready && hash !== me.hash);
    this.#mine = orderOf(after).find(({ hash }) => hash === me.hash);
    this.#above = orderOf(after).flatMap((one) =>
      ancestorsOf(after, me).some((each) => each.hash === one.hash) ? one.hash : [],
    );
    this.#after = after;
    this.#me = me;
    this.#terms = terms;
  }

  refusedBy(): LimitName | null {
    const { maxAncestors, maxDescendants } = this.#terms.limits;
    const graph = this.#graph();
    const deep = descendantsOf(graph, this.#me).filter((each) => ancestorsOf(graph, each).length > maxAncestors);
    if (deep.some(({ hash }) => !this.#parked.some((one) => one.hash === hash))) return 'maxAncestors';
    this.left.push(...deep);
    for (const hash of [this.#me.hash, ...this.#above.toReversed()]) {
      const below = (): Member[] => descendantsOf(this.#graph(), this.#find(hash));
      while (below().length > maxDescendants)
        if (!this.#letLeave(below(), hash !== this.#me.hash)) return 'maxDescendants';
    }
    for (const tag of this.#missing()) {
      const waiting = (): Member[] => this.#pending().filter(({ verdict }) => verdict.requires.includes(tag));
      while (waiting().length > maxDescendants) if (!this.#letLeave(waiting(), true)) return 'maxDescendants';
    }
    return null;
  }

  #graph(): Graph {
    const isHere = ({ hash }: Member): boolean => !this.left.some((one) => one.hash === hash);
    return { ...this.#after, members: this.#after.members.filter(isHere) };
  }

  #pending(): Member[] {
    return this.#graph().members.filter(({ stage }) => stage === 'Pending');
  }

  #find(hash: string): Member {
    const found = this.#after.members.find((one) => one.hash === hash);
    if (found === undefined) throw new Error(`the model has lost ${hash}`);
    return found;
  }

  /** The tags that I wait for, that nobody provides. */
  #missing(): string[] {
    const { required = [] } = this.#terms;
    if (this.#mine?.place.ready !== false) return [];
    return this.#me.verdict.requires.filter(
      (tag) => !required.includes(tag) && !isMet(this.#graph(), tag) && providersOf(this.#graph(), tag).length === 0,
    );
  }

  /** The worst of these leaves; false if I am the worst, or none may. `withMe`: I wait as they do. */
  #letLeave(group: readonly Member[], withMe: boolean): boolean {
    const isIn = ({ hash }: Ranked): boolean => group.some((one) => one.hash === hash) && !this.#above.includes(hash);
    const mine = withMe && this.#mine?.place.ready === false ? [this.#mine] : [];
    const all = [...this.#parked.filter(isIn), ...mine];
    const ordinary = all.filter(({ verdict }) => verdict.protected !== true);
    const line = ordinary.length > 0 ? ordinary : all;
    const worst = worstOf(line);
    if (worst === undefined || worst === this.#mine) return false;
    const rival = line.find((one) => one === this.#mine);
    if (mine.length > 0) {
      if (this.evicted >= this.#terms.evictions || (rival !== undefined && !isWorse(line, worst, rival))) return false;
      this.evicted += 1;
    }
    this.left.push(worst);
    return true;
  }
}

export function worstOf(line: readonly Ranked[]): Ranked | undefined {
  const lowest = line.map(({ place }) => place.effectivePriority).sort(ascending)[0];
  const cheapest = line.filter(({ place }) => place.effectivePriority === lowest);
  const most = Math.max(...cheapest.map((one) => parkedOf(line, one).length));
  const equals = cheapest.filter((one) => parkedOf(line, one).length === most);
  return equals.reduce<Ranked | undefined>(
    (last, one) => (last === undefined || isBehind(one, last) ? one : last),
    undefined,
  );
}

function isBehind({ place: a, seq }: Ranked, { place: b, seq: other }: Ranked): boolean {
  return (a.tieBreakSeq - b.tieBreakSeq || a.depth - b.depth || seq - other) > 0;
}

function isWorse(line: readonly Ranked[], one: Ranked, than: Ranked): boolean {
  const [least, own] = [one.place.effectivePriority, than.place.effectivePriority];
  return least === own ? parkedOf(line, one).length > parkedOf(line, than).length : least < own;
}
