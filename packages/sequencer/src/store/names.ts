import { textDigest } from '../rules/digest.ts';

/** Padded, so that names sort by number. */
const padded = (value: number): string => String(value).padStart(16, '0');

/** The prefix of the names of a validator's endorsements. */
export const endorsedBy = (epoch: number, validator: string): string => `endorsed/${padded(epoch)}/${validator}/`;

/** The names of a namespace's records. The names of one epoch's records begin with a kind and its number. */
export const recordNames = {
  epoch: (epoch: number): string => `epoch/${padded(epoch)}`,
  /** The epoch is as the chain has it: any number. */
  refused: (epoch: number): string => `refused/${epoch}`,
  /** There as long as the epoch needs somebody's work. */
  active: (epoch: number): string => `active/${padded(epoch)}`,
  tally: (epoch: number): string => `tally/${padded(epoch)}/facts`,
  equivocating: (epoch: number, chunk: number): string => `equivocating/${padded(epoch)}/${padded(chunk)}`,
  votes: (epoch: number, part: number): string => `votes/${padded(epoch)}/${padded(part)}`,
  part: (epoch: number, part: number): string => `part/${padded(epoch)}/${padded(part)}`,
  local: (epoch: number): string => `local/${padded(epoch)}/batch`,
  /** Two at most: a second root shows that the validator contradicts itself. */
  received: (epoch: number, validator: string, place: 0 | 1): string =>
    `received/${padded(epoch)}/${validator}/${place}`,
  endorsed: (epoch: number, validator: string, root: string): string => `${endorsedBy(epoch, validator)}${root}`,
  certificate: (epoch: number): string => `certificate/${padded(epoch)}/`,
  agreed: (epoch: number): string => `agreed/${padded(epoch)}`,
} as const;

/** The kinds of records that go when an epoch is forgotten; `epoch` last. */
export const forgottenKinds = [
  'tally',
  'equivocating',
  'votes',
  'part',
  'local',
  'received',
  'endorsed',
  'certificate',
  'epoch',
] as const;

/** The prefix of an epoch's records of one kind. */
export function prefixOf(kind: (typeof forgottenKinds)[number], epoch: number): string {
  return kind === 'epoch' ? recordNames.epoch(epoch) : `${kind}/${padded(epoch)}/`;
}

/** The epoch in the name of a record `active/…`. */
export function epochOfName(name: string): number {
  return Number(name.slice(name.indexOf('/') + 1));
}

/** The names of a namespace's pools. */
export interface PoolNames {
  readonly control: string;
  readonly parts: string;
  readonly incoming: string;
  readonly outgoing: string;
  epoch(epoch: number): string;
}

/**
 * Two namespaces share no name. A long one is cut and gets a digest, because pools have at most 128 characters.
 * @throws `RangeError` naming the option that has a lone surrogate
 */
export function poolNames(protocol: string, market: string): PoolNames {
  for (const [option, value] of Object.entries({ protocol, market }))
    if (!value.isWellFormed()) throw new RangeError(`${option} must not have a lone surrogate`);
  const whole = `${encodeURIComponent(protocol)}:${encodeURIComponent(market)}`;
  const name = whole.length <= 96 ? whole : `${whole.slice(0, 79)}~${textDigest(whole).slice(0, 16)}`;
  return {
    control: name,
    parts: `${name}:parts`,
    incoming: `${name}:incoming`,
    outgoing: `${name}:outgoing`,
    epoch: (epoch) => `${name}:epoch:${epoch}`,
  };
}
