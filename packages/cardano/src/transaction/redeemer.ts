import { majors, readHead } from '../bytes/cbor-head.ts';
import { arrayItems, type CborItem, fewItems, mapEntries, readUnsigned } from '../bytes/cbor-walker.ts';
import { readBigUnsigned } from '../bytes/integers.ts';
import { pairAt } from './items.ts';
import { refuse } from './transaction-error.ts';

const purposes = ['spend', 'mint', 'cert', 'reward', 'vote', 'propose'] as const;

/** What lets a script run, and how much it may use. */
export interface CardanoRedeemer {
  /** The purpose of the script's run. */
  readonly purpose: (typeof purposes)[number];
  /** Which input, policy, certificate, withdrawal, voter or proposal, in the order of the ledger. */
  readonly index: number;
  readonly memory: bigint;
  readonly steps: bigint;
}

/** Both forms: a list, and the map of Conway. @throws CborError, TransactionError */
export function redeemersAt(bytes: Uint8Array, offset: number): readonly CardanoRedeemer[] {
  return readHead(bytes, offset).major === majors.map
    ? Array.from(mapEntries(bytes, offset), (entry) => ofMap(bytes, entry))
    : Array.from(arrayItems(bytes, offset), ({ start }) => ofList(bytes, start));
}

function ofMap(bytes: Uint8Array, [key, value]: readonly [CborItem, CborItem]): CardanoRedeemer {
  const [purpose, index] = pairAt(bytes, key.start, 'a purpose and an index');
  const [, units] = pairAt(bytes, value.start, 'data and units');
  return redeemer(bytes, purpose, index, units);
}

function ofList(bytes: Uint8Array, offset: number): CardanoRedeemer {
  const [purpose, index, , units] = fewItems(bytes, offset, 4);
  if (!purpose || !index || !units) refuse(offset, 'expected a redeemer of four parts');
  return redeemer(bytes, purpose, index, units);
}

function redeemer(bytes: Uint8Array, purpose: CborItem, index: CborItem, units: CborItem): CardanoRedeemer {
  const number = readUnsigned(bytes, purpose.start);
  const [memory, steps] = pairAt(bytes, units.start, 'memory and steps');
  return {
    purpose: purposes[number] ?? refuse(purpose.start, `unknown purpose ${number}`),
    index: readUnsigned(bytes, index.start),
    memory: readBigUnsigned(bytes, memory.start),
    steps: readBigUnsigned(bytes, steps.start),
  };
}
