import { invalid } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priorities, stores } from './store-operators.ts';

const hashVerbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'release',
  'drop',
  'confirm',
  'findInflight',
  'status',
] as const;

/** The hashes in the first argument of a call: a list of them, of what has one, or a block. */
function hashesIn(first: unknown): string[] {
  const { seen = [], unseen = [] } = (first ?? {}) as { readonly seen?: unknown[]; readonly unseen?: unknown[] };
  const listed: unknown[] = Array.isArray(first) ? first : [...seen, ...unseen];
  return listed.map((one) => String((one as { readonly hash?: unknown } | null)?.hash ?? one));
}

/** Refuses calls with hashes of such a form. */
const refusingIn =
  (form: RegExp) =>
  ({ call, given }: { readonly call: unknown; readonly given: readonly unknown[] }): unknown =>
    hashesIn(given[0]).some((hash) => form.test(hash))
      ? Promise.reject(invalid('hashes', 'lower-case hex'))
      : (call as (...all: readonly unknown[]) => unknown)(...given);

/** Refuses calls whose block or target has a hash of such a form. */
const refusingPointIn =
  (form: RegExp) =>
  ({ call, given }: { readonly call: unknown; readonly given: readonly unknown[] }): unknown => {
    const { point = given[0] } = (given[0] ?? {}) as { readonly point?: unknown };
    return hashesIn([point]).some((hash) => form.test(hash))
      ? Promise.reject(invalid('point', 'lower-case hex'))
      : (call as (...all: readonly unknown[]) => unknown)(...given);
  };

/** M2: the forms in which callers write hashes. */
export const hashFormMutants: readonly Mutant[] = [
  stores.every('capitals-with-prefix-refused', hashVerbs, refusingIn(/^0x[\da-f]*[A-F]/)),
  stores.every('forms-of-blocks-refused', ['confirm', 'rollback'], refusingPointIn(/^0x/)),
  stores.given('unseen-required', {
    confirm: (block) => (block.unseen === undefined ? Promise.reject(invalid('block.unseen', 'a list')) : null),
  }),
  stores.givenEach('payload-type-is-1-by-default', {
    receive: (one) => one?.payload instanceof Uint8Array && one.payloadType === undefined && { payloadType: 1 },
  }),
  priorities.every('forms-refused-by-priority', ['revise', 'payloads'], refusingIn(/^0x/)),
];
