import type { BenchSubject } from '../backends/subject.ts';
import type { Measure } from '../runner/measure.ts';
import { ElectionCrew } from './election-crew.ts';

const ttlMs = 1_000;
let pools = 0;

/** How long nobody leads, with three processes in the election. */
export function electionMeasures(subject: BenchSubject, path: string): Measure[] {
  return [
    failOver(subject, path, {
      title: `leader killed: time without one, ttl ${ttlMs.toLocaleString('en')} ms`,
      goal: { kind: 'at most', value: ttlMs + 250 },
      rounds: 7,
      sample: (crew) => crew.crash(),
    }),
    failOver(subject, path, {
      title: 'leader stopped: time without one',
      goal: { kind: 'at most', value: 100 },
      rounds: 15,
      sample: (crew) => crew.handOver(),
    }),
  ];
}

interface FailOver extends Pick<Measure, 'title' | 'goal' | 'rounds'> {
  readonly sample: (crew: ElectionCrew) => Promise<number>;
}

function failOver(subject: BenchSubject, path: string, { sample, ...row }: FailOver): Measure {
  const pool = `bench-election-${process.pid}-${pools++}`;
  const crew = new ElectionCrew(path, pool, ttlMs);
  return {
    ...row,
    backend: subject.name,
    unit: 'ms',
    prepare: () => crew.begin(),
    sample: () => sample(crew),
    async end() {
      await crew.end();
      await subject.destroy?.(pool);
    },
  };
}
