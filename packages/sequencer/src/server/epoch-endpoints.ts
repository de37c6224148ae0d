import {
  cursor,
  type Endpoint,
  type JsonEndpoint,
  jsonEndpoint,
  notFound,
  pageLimit,
  wrongRequest,
  z,
} from 'mempool-server/extension';
import type { EpochBoard, PeriodTotals } from '../board/epoch-board.ts';
import { epochStatus, epochSubmissions, submissionPlace } from '../board/epoch-reads.ts';
import type { EpochRow } from '../board/epoch-row.ts';
import { compareKeys, epochKey, gapKey, type Key, momentKey, shownEpoch } from '../board/epoch-views.ts';
import * as schemas from './schemas.ts';

const base = '/api/v1/epochs';
const standardLimit = 100;

const page = {
  limit: pageLimit.optional(),
  after: cursor.optional().openapi({ description: '`next` of the page before.' }),
};
const paged = z.strictObject(page);
const epochParameter = z
  .string()
  .regex(/^\d{1,15}$/)
  .openapi({ type: 'integer', minimum: 0 });

/** Everything under `/api/v1/epochs`. No request walks over the keys of a store. */
export function epochEndpoints(board: EpochBoard): Endpoint[] {
  return [...overviews(board), ...lists(board), ...ofOne(board)];
}

/** A path that only reads, below `/api/v1/epochs`. */
function reading<Query>({ path, ...rest }: Omit<JsonEndpoint<Query, unknown>, 'tag'>): Endpoint {
  return jsonEndpoint({ ...rest, path: base + path, tag: 'epochs', params: { epoch: epochParameter } });
}

function overviews(board: EpochBoard): Endpoint[] {
  return [
    reading({
      path: '/dashboard/summary',
      summary: 'The epochs in short: the current one, the last 24 hours, open gaps, the validators',
      description: 'Read within the last minute, unless `generatedAt` is older.',
      schema: schemas.summary,
      answer: () => ({ ...board.summary(), generatedAt: board.generatedAt }),
    }),
    reading({
      path: '/current',
      summary: 'The epoch whose window is open, else the newest one',
      description: '`null`: there is none. Read within 30 seconds.',
      schema: z.object({ generatedAt: schemas.generatedAt, epoch: schemas.epoch.nullable() }),
      answer: () => ({ generatedAt: board.generatedAt, epoch: board.current() }),
    }),
    reading({
      path: '/workers',
      summary: 'The processes that work for the namespace',
      description:
        'The living by name, then at most 100 silent ones. `alive`: its last heartbeat, at `seenAt`, is not out of its time. A silent one is listed until another process wins the election.',
      schema: z.object({ generatedAt: schemas.generatedAt, items: z.array(schemas.worker) }),
      answer: () => ({ generatedAt: board.generatedAt, items: board.workers() }),
    }),
  ];
}

/** A list in memory: its items in any order, and the place of each. */
interface List<Item> {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly schema: z.ZodType;
  items(): readonly Item[];
  key(item: Item): Key;
  shown?(item: Item): object;
}

function lists(board: EpochBoard): Endpoint[] {
  return [...epochLists(board), gapList(board), ...recent(board), ...statistics(board)];
}

function listed<Item extends object>(board: EpochBoard, list: List<Item>): Endpoint {
  return reading({
    ...list,
    schema: datedPageOf(list.schema),
    query: paged,
    answer: ({ query }) => pageAnswer(board, list, query ?? {}),
  });
}

function epochLists(board: EpochBoard): Endpoint[] {
  const epochs = { description: 'A page.', schema: schemas.epoch, key: epochKey, shown: shownEpoch };
  return [
    listed(board, {
      ...epochs,
      path: '/timeline',
      summary: 'The epochs of the last seven days, and all that are not done, newest first',
      items: () => board.rows(),
    }),
    listed(board, {
      ...epochs,
      path: '/active',
      summary: 'The epochs that are not done, newest first',
      items: () => board.active(),
    }),
    listed(board, {
      path: '/batches/finalized',
      summary: 'The agreed results of the epochs of the timeline, newest first',
      description: 'A page. `leftOut`: projects without a quorum.',
      schema: schemas.batch,
      items: () => board.rows().filter(({ included }) => included !== null),
      key: epochKey,
      shown: shownBatch,
    }),
  ];
}

function recent(board: EpochBoard): Endpoint[] {
  return [
    listed(board, {
      path: '/timeline/recent',
      summary: 'The moments of the epochs of the timeline, newest first',
      description: 'A page. `detail`: the kind of a gap, the reason of a failure.',
      schema: schemas.moment,
      items: () => board.moments(),
      key: momentKey,
    }),
    listed(board, {
      path: '/queues/status',
      summary: 'The queues in the pools of the namespace',
      description: 'A page. `taken`: under the claim of a worker.',
      schema: schemas.queue,
      items: () => board.queues().map((queue, i, { length }) => ({ ...queue, place: length - i })),
      key: ({ place }) => [place],
      shown: ({ place: _, ...queue }) => queue,
    }),
  ];
}

function statistics(board: EpochBoard): Endpoint[] {
  const periods = { schema: schemas.period, key: ({ from }: PeriodTotals): Key => [from] };
  return [
    listed(board, {
      ...periods,
      path: '/stats/hourly',
      summary: 'The last 24 hours, newest first',
      description: 'A page. An epoch counts in the hour in which its window closes.',
      items: () => board.hourly(),
    }),
    listed(board, {
      ...periods,
      path: '/stats/daily',
      summary: 'The last seven days, newest first',
      description: 'A page. Days begin at midnight UTC.',
      items: () => board.daily(),
    }),
  ];
}

function gapList(board: EpochBoard): Endpoint {
  return reading({
    path: '/gaps',
    summary: 'Messages of the epochs of the timeline that are or were missing after their grace, newest first',
    description: 'A page. `reason`: why it is missing; `resolvedAt`: when it no longer was.',
    schema: datedPageOf(schemas.gap),
    query: z.strictObject({ ...page, state: z.enum(['open', 'resolved']).optional() }),
    answer: ({ query }) => {
      const { state, ...range } = query ?? {};
      const isWanted = (resolvedAt: number | null): boolean =>
        state === undefined || (resolvedAt === null) === (state === 'open');
      const items = () => board.gaps().filter(({ resolvedAt }) => isWanted(resolvedAt));
      return pageAnswer(board, { items, key: gapKey }, range);
    },
  });
}

function ofOne(board: EpochBoard): Endpoint[] {
  return [
    reading({
      path: '/{epoch}/status',
      summary: 'The phase of an epoch, and the present numbers of its pool',
      description: 'Read from the store at the time of the request. 404: there is no such epoch.',
      schema: schemas.status,
      answer: async ({ params }) => {
        const status = found(await epochStatus(board, epochOf(params)));
        return { ...status, generatedAt: Date.now() };
      },
    }),
    reading({
      path: '/{epoch}/submissions',
      summary: 'The submissions of an epoch: waiting ones, checked ones, final ones',
      description: 'A page, read from the store at the time of the request. 404: there is no such epoch.',
      schema: datedPageOf(schemas.submission),
      query: paged,
      answer: async ({ params, query }) => {
        const { limit = standardLimit, after = null } = query ?? {};
        if (after !== null && submissionPlace(after) === null) throw wrongAfter();
        const submissions = found(await epochSubmissions(board, epochOf(params), { limit, after }));
        return { generatedAt: Date.now(), ...submissions };
      },
    }),
  ];
}

function datedPageOf(item: z.ZodType): z.ZodType {
  return z.object({ generatedAt: schemas.generatedAt, items: z.array(item), next: z.string().nullable() });
}

function shownBatch({ epoch, root, projects, leftOut, included, agreedAt, onchain }: EpochRow): object {
  return { epoch, root, projects, leftOut, validators: included ?? [], agreedAt, onchain };
}

/** A page of a list, by its keys downwards: new rows do not move the page. */
function pageAnswer<Item extends object>(
  board: EpochBoard,
  { items, key, shown = (item) => item }: Pick<List<Item>, 'items' | 'key' | 'shown'>,
  { limit = standardLimit, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
): object {
  const place = after === undefined ? null : placeOf(after);
  const sorted = items().toSorted((a, b) => compareKeys(key(b), key(a)));
  const rest = place === null ? sorted : sorted.filter((item) => compareKeys(key(item), place) < 0);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last === undefined || rest.length <= limit ? null : key(last).join('.');
  return { generatedAt: board.generatedAt, items: page.map(shown), next };
}

function placeOf(after: string): Key {
  if (!/^\d{1,16}(?:\.\d{1,16}){0,3}$/.test(after)) throw wrongAfter();
  return after.split('.').map(Number);
}

function wrongAfter(): Error {
  return wrongRequest('after', 'after must be the next of a page of this list.');
}

function epochOf({ epoch = '' }: Readonly<Record<string, string>>): number {
  if (!/^\d{1,15}$/.test(epoch)) throw wrongRequest('epoch', 'epoch must be a whole number.');
  return Number(epoch);
}

function found<T>(value: T | null): T {
  if (value === null) throw notFound('There is no such epoch here.');
  return value;
}
