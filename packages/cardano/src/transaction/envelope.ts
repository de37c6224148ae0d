/** The parts of a transaction as it is submitted. Source: the CDDL files of cardano-ledger, one for each era. */
import { majors, readHead } from '../bytes/cbor-head.ts';
import { type CborItem, fewItems, itemEnd } from '../bytes/cbor-walker.ts';
import { type Fields, fieldsAt } from './fields.ts';
import { refuse } from './transaction-error.ts';

/** The keys of a body that the reader knows. */
export const bodyKeys = {
  inputs: 0,
  outputs: 1,
  fee: 2,
  validUntil: 3,
  certificates: 4,
  withdrawals: 5,
  validFrom: 8,
  mint: 9,
  collateral: 13,
  collateralReturn: 16,
  totalCollateral: 17,
  referenceInputs: 18,
} as const;

/** A transaction of the Byron era: `[body, witnesses]`. */
interface ByronEnvelope {
  readonly form: 'byron';
  readonly body: CborItem;
}

/** `[body, witness set, auxiliary data]`, or from Alonzo on `[body, witness set, is valid, auxiliary data]`. */
export interface ShelleyEnvelope {
  readonly form: 'shelley';
  readonly body: CborItem;
  readonly fields: Fields;
  readonly witnesses: CborItem;
  readonly valid: boolean;
}

export type Envelope = ByronEnvelope | ShelleyEnvelope;

const isFalse = 0xf4;
const isTrue = 0xf5;
const required = ['inputs', 'outputs', 'fee'] as const;

/** @throws CborError, TransactionError if the bytes are not exactly one transaction. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (readHead(bytes, 0).major !== majors.array) refuse(0, 'expected an array of its parts');
  const end = itemEnd(bytes, 0);
  if (end !== bytes.length) refuse(end, 'bytes behind it');
  const [body, witnesses, third, fourth] = fewItems(bytes, 0, 4);
  if (!body || !witnesses) refuse(0, 'expected two to four parts');
  if (!third) return byronEnvelope(bytes, body, witnesses);
  expectMap(bytes, witnesses, 'a witness set');
  const valid = fourth === undefined || readBoolean(bytes, third.start);
  return { form: 'shelley', body, fields: bodyFields(bytes, body), witnesses, valid };
}

function byronEnvelope(bytes: Uint8Array, body: CborItem, witnesses: CborItem): Envelope {
  if (readHead(bytes, witnesses.start).major !== majors.array) refuse(witnesses.start, 'expected a list of witnesses');
  if (readHead(bytes, body.start).major !== majors.array) refuse(body.start, 'expected a body');
  if (fewItems(bytes, body.start, 3).length < 3) refuse(body.start, 'expected inputs, outputs and attributes');
  return { form: 'byron', body };
}

function bodyFields(bytes: Uint8Array, body: CborItem): Fields {
  expectMap(bytes, body, 'a body');
  const fields = fieldsAt(bytes, body.start);
  for (const name of required) {
    if (!fields.has(bodyKeys[name])) refuse(body.start, `a body without ${name}`);
  }
  return fields;
}

function expectMap(bytes: Uint8Array, item: CborItem, what: string): void {
  if (readHead(bytes, item.start).major !== majors.map) refuse(item.start, `expected ${what}`);
}

function readBoolean(bytes: Uint8Array, offset: number): boolean {
  if (bytes[offset] === isTrue) return true;
  if (bytes[offset] === isFalse) return false;
  return refuse(offset, 'expected true or false');
}
