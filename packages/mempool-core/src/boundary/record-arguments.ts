import { isUint8Array } from 'node:util/types';
import { isReadable, lengthOf } from '../codec/payload-bytes.ts';
import { invalid } from '../contract/errors.ts';
import { clampLimit } from '../contract/page-rules.ts';
import { type CheckedPut, type CheckedRecordQuery, maxRecordBytes, type RecordQuery } from '../contract/records.ts';
import { checkLimit } from './arguments.ts';
import { checkCount } from './basic-checks.ts';
import { checkName } from './verdicts.ts';

/** Returns the name of a record if it is valid. @throws `ERR_MEMPOOL_INVALID` naming `name` */
export function checkRecordName(name: string): string {
  return checkName('name', name, 1);
}

/** Returns the arguments of `putRecord`, with a copy of the value. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkPut(name: string, value: Uint8Array | null, version: number | undefined): CheckedPut {
  return {
    name: checkRecordName(name),
    version: version === undefined ? null : checkCount('version', version),
    value: value === null ? null : ownValue(value),
  };
}

/** The true length counts, whatever a subclass says (M1). */
function ownValue(value: Uint8Array): Uint8Array {
  if (!isUint8Array(value)) throw invalid('value', 'a Uint8Array or null');
  if (!isReadable(value)) throw invalid('value', 'readable bytes: its buffer was transferred or shrunk');
  if (lengthOf.call(value) > maxRecordBytes) throw invalid('value', `at most ${maxRecordBytes} bytes`);
  return new Uint8Array(value);
}

/** Returns the arguments of `listRecords`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkRecordQuery(prefix: string, query: RecordQuery | undefined): CheckedRecordQuery {
  const after = query?.after;
  return {
    prefix: checkName('prefix', prefix, 0),
    after: after === undefined ? '' : checkName('after', after, 0),
    limit: clampLimit(checkLimit(query?.limit)),
  };
}
