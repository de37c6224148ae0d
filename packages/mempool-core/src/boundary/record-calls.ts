import type { ReadOptions } from '../contract/call-options.ts';
import type { PoolValue, PutOptions, PutOutcome, RecordPage, RecordQuery } from '../contract/records.ts';
import type { CallRunner } from './call-runner.ts';
import { putPart, withDigest } from './operation-digest.ts';
import { callNames } from './option-names.ts';
import { checkPut, checkRecordName, checkRecordQuery } from './record-arguments.ts';

// The calls for records (K1–K4), with the checks of their arguments.

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
