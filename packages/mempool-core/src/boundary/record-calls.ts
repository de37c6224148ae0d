import type { Awaitable, ReadOptions, WriteOptions } from '../contract/call-options.ts';
import type { DumpedPart, PoolContent, RestoreOutcome } from '../contract/dump.ts';
import type { PoolValue, PutOptions, PutOutcome, RecordPage, RecordQuery } from '../contract/records.ts';
import { checkContent } from '../priority/content.ts';
import type { CallRunner } from './call-runner.ts';
import { contentPart, putPart, withDigest } from './operation-digest.ts';
import { callNames } from './option-names.ts';
import { checkPut, checkRecordName, checkRecordQuery } from './record-arguments.ts';

// The calls for records (K1–K4) and for whole pools (D3), with the checks of their arguments.

export function getRecord(calls: CallRunner, name: string, options?: ReadOptions): Promise<PoolValue | null> {
  return calls.read(options, callNames.read, (context) => calls.verb('getRecord')(checkRecordName(name), context));
}

export function putRecord(
  calls: CallRunner,
  { name, value }: { readonly name: string; readonly value: Uint8Array | null },
  options?: PutOptions,
): Promise<PutOutcome> {
  return calls.underLease(
    options,
    (context) => {
      const put = checkPut(name, value, options?.version);
      const bound = withDigest(context, 'putRecord', () => [putPart(put)]);
      return calls.verb('putRecord')(put, bound);
    },
    callNames.put,
  );
}

export function listRecords(calls: CallRunner, prefix: string, query?: RecordQuery): Promise<RecordPage> {
  return calls.read(query, callNames.page, (context) =>
    calls.verb('listRecords')(checkRecordQuery(prefix, query), context),
  );
}

export function restorePool(calls: CallRunner, dump: PoolContent, options?: WriteOptions): Promise<RestoreOutcome> {
  return calls.write(options, (context) => {
    const verb = calls.verb('restorePool');
    const restore = (content: readonly DumpedPart[]): Awaitable<RestoreOutcome> =>
      verb(
        content,
        withDigest(context, 'restore', () => [contentPart(content)]),
      );
    const content = checkContent(calls.options.ordering, dump, context.signal);
    return content instanceof Promise ? content.then(restore) : restore(content);
  });
}
