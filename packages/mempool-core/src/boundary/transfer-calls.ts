import { randomUUID } from 'node:crypto';
import { decodeLine, encodeLine, lineOf, partOf, type ReadLine, wrongLine } from '../codec/pool-lines.ts';
import type { ReadContext, ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import { pending } from '../contract/lifecycle.ts';
import { heldUntil } from '../contract/pool-entry.ts';
import type { ChainPoint, Tip } from '../contract/transaction.ts';
import * as transfer from '../contract/transfer.ts';
import { checkRead } from './arguments.ts';
import type { CallRunner } from './call-runner.ts';
import { callNames } from './option-names.ts';
import { checkPart } from './part-checks.ts';

// The calls that move a pool to another backend (D3), with the lines of their file.

const format = { format: 'mempool-export', version: 1 } as const;
/** A page ends at the first of these. */
const pageLines = 500;
const pageChars = 1024 * 1024;

/** Yields the lines of an export, without line ends. */
export async function* exportLines(calls: CallRunner, options?: ReadOptions): AsyncGenerator<string, undefined> {
  const context = checkRead(options);
  const verb = calls.verb('exportPages');
  const counted = new Counted();
  let place = transfer.fileStart;
  const write = (fields: object): string => {
    const line = encodeLine(fields, place);
    place = line.place;
    return line.text;
  };
  calls.assertOpen(context.signal);
  for await (const page of calls.pages(verb(context), context.signal))
    for (const part of page) {
      counted.add(part);
      const fields = lineOf(released(part));
      yield write(part.kind === 'start' ? { ...format, id: randomUUID(), ...fields } : fields);
    }
  yield write({ kind: 'end', lines: place.lines, ...counted.counts, digest: place.digest });
}

/** P19: a claimed transaction leaves the pool as if its worker had died: Pending, but held back until the claim would have ended. */
function released(part: transfer.PoolPart): transfer.PoolPart {
  if (part.kind !== 'live') return part;
  const { state, entry } = part;
  const claim = part.claim ?? entry?.claim ?? null;
  if (claim === null) return part;
  const free = entry && heldUntil({ ...entry, claim: null }, claim.untilMs);
  const back = pending(state.hash, state.seq, claim.untilMs, { ...state.facts, sentAt: null });
  return { ...part, state: back, point: null, entry: free, claim: null };
}

/** The numbers of an export, and whether others changed the pool meanwhile. */
class Counted {
  #start: transfer.StartPart | null = null;
  #tip: Tip | null = null;
  #isSame = true;
  live = 0;
  logged = 0;
  records = 0;

  add(part: transfer.PoolPart): void {
    switch (part.kind) {
      case 'start':
        this.#start = part;
        break;
      case 'live':
        this.live += 1;
        break;
      case 'ended':
        this.logged += 1;
        break;
      case 'record':
        this.records += 1;
        break;
      case 'numbers':
        this.#tip = part.tip;
        break;
      case 'finish':
        this.#isSame = part.lastEventSeq === this.#start?.lastEventSeq;
        break;
      case 'block':
      case 'satisfied':
        break;
    }
  }

  get counts(): transfer.ExportCounts {
    const { live, logged, records } = this;
    return { live, logged, records, changed: !this.#isSame };
  }

  get hasSameTip(): boolean {
    const [before, after] = [this.#start?.tip, this.#tip];
    return before?.tick === after?.tick && isSamePoint(before?.point ?? null, after?.point ?? null);
  }
}

function isSamePoint(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a?.slot === b?.slot && a?.hash === b?.hash;
}

/** Imports the lines of an export. */
export async function importLines(
  calls: CallRunner,
  lines: transfer.Lines,
  options: transfer.ImportOptions = {},
): Promise<transfer.ImportOutcome> {
  const context = checkRead(options, callNames.import);
  calls.assertOpen(context.signal);
  if (typeof lines !== 'object' || lines === null || !(Symbol.asyncIterator in lines || Symbol.iterator in lines))
    throw invalid('lines', 'lines of an export');
  return new Import(calls, context, options).run(lines);
}

/** One call of `import`. */
class Import {
  readonly #calls: CallRunner;
  readonly #context: ReadContext;
  readonly #options: transfer.ImportOptions;
  readonly #counted = new Counted();
  #id = '';
  #expected = 0;
  #place = transfer.fileStart;
  /** What is stored, or will be with the next page. */
  #stored = transfer.fileStart;
  #parts: transfer.PoolPart[] = [];
  #chars = 0;
  #isDone = false;

  constructor(calls: CallRunner, context: ReadContext, options: transfer.ImportOptions) {
    this.#calls = calls;
    this.#context = context;
    this.#options = options;
  }

  async run(lines: transfer.Lines): Promise<transfer.ImportOutcome> {
    let end: ReadLine['fields'] | null = null;
    for await (const text of lines) {
      if (end !== null) throw wrongLine(this.#place.lines + 1, 'comes after the end');
      const before = this.#place;
      const { fields, place } = decodeLine(text, before);
      if (fields.kind === 'end') end = this.#checkEnd(fields, before);
      else this.#add(fields, place.lines);
      this.#place = place;
      this.#chars += text.length;
      const refused = end === null ? await this.#passed() : null;
      if (refused !== null) return refused;
    }
    if (end === null) throw wrongLine(this.#place.lines + 1, 'is missing: the file was cut');
    return this.#finish(end as unknown as transfer.ExportCounts);
  }

  #add(fields: ReadLine['fields'], line: number): void {
    try {
      const part = line === 1 ? this.#begin(fields) : checkPart(partOf(fields) as transfer.PoolPart, this.#ordering);
      this.#counted.add(part);
      this.#parts.push(part);
    } catch (cause) {
      throw wrongLine(line, 'is not a part of a pool of this ordering', cause);
    }
  }

  #begin(fields: ReadLine['fields']): transfer.StartPart {
    const { format: name, version, id, ...start } = fields;
    const { ordering, live, logged } = start;
    if (name !== format.format || version !== format.version || ordering !== this.#ordering || typeof id !== 'string')
      throw new TypeError(`not an export of a ${this.#ordering} pool`);
    this.#id = id;
    this.#expected = Number(live) + Number(logged);
    return start as unknown as transfer.StartPart;
  }

  get #ordering() {
    return this.#calls.opened.ordering;
  }

  #checkEnd(fields: ReadLine['fields'], { lines, digest }: transfer.FilePlace): ReadLine['fields'] {
    const { live, logged, records } = this.#counted.counts;
    const isWhole = fields.live === live && fields.logged === logged && fields.records === records;
    if (!isWhole || fields.lines !== lines || fields.digest !== digest)
      throw wrongLine(lines + 1, 'has other counts than the file');
    return fields;
  }

  /** Stores a page if it is full. At the place that an earlier import has reached, it only compares. */
  async #passed(): Promise<transfer.ImportOutcome | null> {
    const { lines, digest } = this.#place;
    if (lines === this.#stored.lines && digest !== this.#stored.digest) return { kind: 'other-file' };
    if (this.#isDone || lines <= this.#stored.lines) return this.#skip();
    const isFull = lines === 1 || this.#parts.length >= pageLines || this.#chars >= pageChars;
    return isFull ? this.#store(false) : null;
  }

  #skip(): null {
    this.#parts = [];
    this.#chars = 0;
    return null;
  }

  async #store(isLast: boolean): Promise<transfer.ImportOutcome | null> {
    const page = { id: this.#id, from: this.#stored, to: this.#place, parts: this.#parts, isLast };
    const verb = this.#calls.verb('importPage');
    const outcome = await this.#calls.call(
      () => this.#context,
      (context) => verb(page, context),
    );
    this.#skip();
    switch (outcome.kind) {
      case 'stored':
        this.#stored = this.#place;
        break;
      case 'known':
        if (outcome.lines === this.#place.lines && outcome.digest !== this.#place.digest) return { kind: 'other-file' };
        this.#stored = { lines: outcome.lines, digest: outcome.digest };
        break;
      case 'done':
        this.#isDone = true;
        break;
      case 'other-file':
      case 'not-empty':
        return outcome;
    }
    this.#options.onProgress?.({ lines: this.#stored.lines, expected: this.#expected });
    return null;
  }

  async #finish({ live, logged, records, changed }: transfer.ExportCounts): Promise<transfer.ImportOutcome> {
    if (!this.#isDone) {
      if (this.#place.lines <= this.#stored.lines) return { kind: 'other-file' };
      if (!this.#counted.hasSameTip && this.#options.acceptChanged !== true) return { kind: 'tip-changed' };
      const refused = await this.#store(true);
      if (refused !== null) return refused;
    }
    return { kind: 'imported', lines: this.#place.lines, live, logged, records, changed };
  }
}
