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
  'checkStatus',
] as const;

/** The hashes in the first argument of a call: a list of them, of what has one, or a block. */
function hashesIn(first: unknown): string[] {
  const { seen = [], unseen = [] } = (first ?? {}) as { readonly seen?: unknown[]; readonly unseen?: unknown[] };
  const listed: unknown[] = Array.isArray(first) ? first : [...seen, ...unseen];
  return listed.map((one) => String((one as { readonly hash?: unknown } | null)?.hash ?? one));
}

function refusing(id: string, form: RegExp): Mutant {
  return stores.every(id, hashVerbs, ({ call, given }) =>
    hashesIn(given[0]).some((hash) => form.test(hash))
      ? Promise.reject(invalid('hashes', 'lower-case hex'))
      : (call as (...all: readonly unknown[]) => unknown)(...given),
  );
}

/** M2: the forms in which callers write hashes. */
export const hashFormMutants: readonly Mutant[] = [
  refusing('capitals-refused', /^[\da-fA-F]*[A-F]/),
  refusing('prefix-refused', /^0x[\da-f]{64}$/),
  refusing('capitals-with-prefix-refused', /^0x[\da-f]*[A-F]/),
  stores.told('hashes-told-as-given', {
    receive: (told, { given: [batch] }) => told.map((one, i) => ({ ...one, hash: batch[i]?.hash ?? one.hash })),
  }),
  stores.plant('operations-know-one-form', (store) => {
    const first = new Map<string, string>();
    return {
      receive: async (batch, options) => {
        const { operationId } = options ?? {};
        const now = hashesIn(batch).join(' ');
        if (operationId !== undefined && (first.get(operationId) ?? now) !== now)
          throw invalid('operationId', 'another');
        if (operationId !== undefined) first.set(operationId, now);
        return store.receive(batch, options);
      },
    };
  }),
  stores.givenEach('payload-type-is-1-by-default', {
    receive: (one) => one?.payload instanceof Uint8Array && one.payloadType === undefined && { payloadType: 1 },
  }),
  priorities.every('forms-refused-by-priority', ['revise', 'payloads'], ({ call, given }) =>
    hashesIn(given[0]).some((hash) => /^0x/.test(hash))
      ? Promise.reject(invalid('hashes', 'lower-case hex'))
      : (call as (...all: readonly unknown[]) => unknown)(...given),
  ),
];
