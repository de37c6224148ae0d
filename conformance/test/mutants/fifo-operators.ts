import {
  type CheckedBlock,
  type DriverOptions,
  defineBackend,
  type PoolView,
  type Step,
  type StepEvent,
  type StoreDriver,
} from 'mempool-core/backend';
import { verbsOf } from '../../src/case/verbs.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { Layer } from './operators.ts';
import { PlantedDriver, type WriteVerb } from './planted-driver.ts';

const verbs = [
  'receive',
  'markInflight',
  'markAcknowledged',
  'complete',
  'release',
  'drop',
  'confirm',
  'rollback',
  'peekPending',
  'peekInflight',
  'findInflight',
  'checkStatus',
  'dumpFinalized',
  'tip',
  'usage',
  'readEvents',
  'onEvents',
  'close',
] as const satisfies readonly (keyof PlantedDriver)[];

type Verbs = Pick<PlantedDriver, (typeof verbs)[number]>;
type Change = object | false | null | undefined;
interface Site {
  readonly pool: PlantedDriver;
  readonly options: DriverOptions;
}

/** Faults in a backend in order of arrival: in its verbs, below core's checks, and on both sides of the rules. */
class FifoLayer extends Layer<Verbs, Site> {
  /** What the rules are told of the pool. */
  view(
    id: string,
    change: (pool: PlantedDriver, verb: WriteVerb, options: DriverOptions) => Partial<PoolView>,
  ): Mutant {
    return this.plant(id, (_, { pool, options }) => {
      pool.tell = (verb) => change(pool, verb, options);
      return {};
    });
  }

  /** What is written instead of what the rules decided. */
  decided(
    id: string,
    change: (step: Step<unknown>, verb: WriteVerb, pool: PlantedDriver, hashes: Set<string>) => Change,
  ): Mutant {
    return this.plant(id, (_, { pool }) => {
      const hashes = new Set<string>();
      pool.decide = (step, verb) => ({ ...step, ...(change(step, verb, pool, hashes) || {}) });
      return {};
    });
  }

  /** The transactions' events; none where the change is `null`. */
  events(id: string, change: (event: TransactionStep, verb: WriteVerb, pool: PlantedDriver) => Change): Mutant {
    return this.decided(id, (step, verb, pool) => withEvents(step, (event) => change(event, verb, pool)));
  }

  /** A block changed before the rules see it. */
  blocks(id: string, change: (block: CheckedBlock, pool: PlantedDriver) => Partial<CheckedBlock>): Mutant {
    return this.given(id, { confirm: (block, { pool }) => change(block, pool) });
  }
}

export const fifo: FifoLayer = new FifoLayer((id, fault) => {
  const open = (options: DriverOptions) => {
    const pool = new PlantedDriver(options);
    const sound = verbsOf(pool, verbs);
    const driver = { ...sound, ...fault(sound, { pool, options }) };
    return { ...driver, move: (verb, ...given) => driver[verb](...given) } satisfies StoreDriver;
  };
  return mutant(id, defineBackend({ name: id, capabilities: { ...plainPool, records: false, import: false }, open }));
});

export type TransactionStep = Extract<StepEvent, { kind: 'transaction' }>;

/** The step with its events changed, or left out where `change` answers `null`; the numbers stay gap-free. */
export function changed<Outcome>(step: Step<Outcome>, change: (event: StepEvent) => Change): Step<Outcome> {
  const made = step.events.map((event) => {
    const more = change(event);
    return more === null ? null : ({ ...event, ...(more || {}) } as StepEvent);
  });
  return numbered(
    step,
    made.filter((event) => event !== null),
  );
}

/** The same with its transaction events alone. */
function withEvents<Outcome>(step: Step<Outcome>, change: (event: TransactionStep) => Change): Step<Outcome> {
  return changed(step, (event) => event.kind === 'transaction' && change(event));
}

/** The step with these events instead, numbered as its own were. */
export function numbered<Outcome>(step: Step<Outcome>, events: readonly StepEvent[]): Step<Outcome> {
  const first = step.events[0]?.eventSeq ?? 1;
  return { ...step, events: events.map((event, i) => ({ ...event, eventSeq: first + i })) };
}
