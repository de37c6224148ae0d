import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import {
  agreementDigest,
  batchDigest,
  encodeBatch,
  encodeEndorsement,
  encodeSubmission,
  forgetEpochs,
  type Leaf,
  merkleRoot,
  type Phase,
  type Submission,
  submissionDigest,
} from 'mempool-sequencer';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import type { BenchSubject } from '../setup/subject.ts';
import { Crew } from './crew.ts';
import { usedMemory } from './footprint.ts';
import { head, inTurn, type Measure, onEmptied, timed } from './measure.ts';
import {
  acceptAll,
  type BenchValidator,
  domain,
  isSignedBySlot,
  signedBySlot,
  submissionsOf,
  unsignedMessages,
  validatorSignature,
  validators,
  withValidator,
} from './sequencer-load.ts';
import type { CheckerVerbs } from './sequencer-node.ts';

const fromPeer = { peer: 'bench' };
const program = new URL('./sequencer-node.ts', import.meta.url);

export function sequencerGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  if (context.redis === null) throw new Error(noServer);
  const redis = context.redis.client;
  return [
    checking(backend, atMost(context, 8_000)),
    closing(backend.subject, atMost(context, 10_000)),
    agreeing(backend.subject),
    ...keeping(backend.subject, redis, atMost(context, 1_000)),
  ].map((measure) => onEmptied(redis, measure));
}

/** Signatures that this process checks and does nothing else, next to the same in its gateway, with dequeuers in two other processes. */
function checking({ subject, path }: BenchBackend, count: number): Measure {
  const title = 'sequencer: checking signatures alone ÷ gateway to checked with two dequeuers';
  const crew = new Crew<CheckerVerbs>(program, 2, path);
  let submissions: Submission[] = [];
  let messages: Uint8Array[] = [];
  const alone = async (): Promise<void> => {
    for (const each of submissions)
      if (!isSignedBySlot({ ...each, digest: submissionDigest({ ...each, domain }) }))
        throw new Error('a bad signature');
  };
  const through = (): Promise<number> =>
    withValidator(subject, { verifySlot: isSignedBySlot }, async ({ sequencer, lease, protocol, clock }) => {
      const closesAt = clock.ms + 600_000;
      const record = await sequencer.window.open({ epoch: 1, closesAt, validators }, lease);
      await crew.tell('check', protocol);
      const ms = await timed(async () => {
        await acceptAll(sequencer, messages);
        const checked = () => sequencer.namespace.withEpoch(record, (pool) => pool.usage());
        for (let done = 0; done < count; done = (await checked()).acknowledged) await pause(5);
      });
      await crew.tell('end');
      return ms;
    });
  return {
    ...head(subject, title, ['at least', 0.6], '×', 7),
    async prepare() {
      await crew.begin();
      submissions = submissionsOf(1, count, count).map(signedBySlot);
      messages = submissions.map(encodeSubmission);
    },
    sample: (round) => inTurn(round, () => timed(alone), through),
    end: () => crew.end(),
  };
}

/** Runs what a leader and a finalizer do, until the epoch is in this phase. */
async function until({ sequencer, lease }: BenchValidator, epoch: number, phase: Phase): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const running = [
    sequencer.finalizer.run({ signal }),
    sequencer.aggregator.collect({ owner: 'bench', signal }),
    sequencer.lead({ lease, reportProgress: () => undefined }, { signal }),
  ];
  await sequencer.waitFor(epoch, phase);
  stop.abort();
  await Promise.all(running);
}

/** An epoch whose submissions are all checked, and whose window has closed. */
async function closedEpoch(
  { sequencer, lease, clock }: BenchValidator,
  epoch: number,
  count: number,
  projects: number,
): Promise<void> {
  await sequencer.window.open({ epoch, closesAt: clock.ms + 600_000, validators }, lease);
  await acceptAll(sequencer, unsignedMessages(submissionsOf(epoch, count, projects)));
  while ((await sequencer.dequeuer.step(epoch)) > 0);
  clock.ms += 600_000;
}

function closing(subject: BenchSubject, count: number): Measure {
  const title = `sequencer: end of the window to the batch, ${count.toLocaleString('en')} submissions in 200 projects`;
  const sample = (): Promise<number> =>
    withValidator(subject, {}, async (validator) => {
      await closedEpoch(validator, 1, count, 200);
      return timed(() => until(validator, 1, 'level2'));
    });
  return { ...head(subject, title, ['at most', 500], 'ms', 5), sample };
}

/** What the other validators have found, with their endorsements. */
function played(epoch: number, leaves: readonly Leaf[]) {
  const root = merkleRoot(leaves);
  return validators.slice(1).map((validator) => {
    const batch = { epoch, validator, root, cid: 'published', leaves };
    const signature = validatorSignature(validator, batchDigest({ ...batch, domain }, validators));
    const endorsed = validatorSignature(validator, agreementDigest({ domain, epoch, root }));
    return {
      batch: encodeBatch({ ...batch, signature }),
      endorsement: encodeEndorsement({ epoch, validator, root, signature: endorsed }),
    };
  });
}

const leavesOf = (epoch: number, projects: number): Leaf[] =>
  submissionsOf(epoch, projects, projects)
    .map(({ project, cid }) => ({ project, cid }))
    .sort((a, b) => (a.project < b.project ? -1 : 1));

function agreeing(subject: BenchSubject): Measure {
  const title = 'sequencer: the last batch to the agreed result, four validators and 200 projects';
  const sample = (): Promise<number> =>
    withValidator(subject, {}, async (validator) => {
      await closedEpoch(validator, 1, 200, 200);
      await until(validator, 1, 'level2');
      const others = played(1, leavesOf(1, 200));
      const { gateway } = validator.sequencer;
      for (const { batch } of others.slice(1)) await gateway.acceptBatch(batch, fromPeer);
      return timed(async () => {
        await gateway.acceptBatch((others[0] as (typeof others)[0]).batch, fromPeer);
        await until(validator, 1, 'onchain');
      });
    });
  return { ...head(subject, title, ['at most', 1_000], 'ms', 5), sample };
}

const keptSubmissions = 100;
const keptProjects = 20;
/** How many epochs are kept, the one that goes on among them. */
const kept = 20;

/** Leads an epoch from its window to its end on the chain. */
async function wholeEpoch(validator: BenchValidator, epoch: number): Promise<void> {
  const { sequencer, lease } = validator;
  await closedEpoch(validator, epoch, keptSubmissions, keptProjects);
  for (const { batch, endorsement } of played(epoch, leavesOf(epoch, keptProjects))) {
    await sequencer.gateway.acceptBatch(batch, fromPeer);
    await sequencer.gateway.acceptBatch(endorsement, fromPeer);
  }
  await until(validator, epoch, 'onchain');
  const root = (await sequencer.epoch(epoch))?.root ?? '';
  await sequencer.monitor.apply({ kind: 'confirmed', epoch, root, transaction: 'transaction' }, lease);
  await sequencer.monitor.apply({ kind: 'finalized', epoch, root }, lease);
  while ((await sequencer.activeEpochs()).length > 0) await sequencer.monitor.step(epoch, lease);
}

/** What epochs leave on the server: while they are kept, and after many were forgotten. */
function keeping(subject: BenchSubject, redis: Redis, epochs: number): Measure[] {
  const withEpochs = (work: (whole: (epoch: number) => Promise<void>) => Promise<number>): Promise<number> =>
    withValidator(subject, {}, (validator) =>
      work(async (epoch) => {
        const { sequencer, lease } = validator;
        await wholeEpoch(validator, epoch);
        await forgetEpochs(sequencer.namespace, lease, { keepMs: kept * 600_000 });
        await sequencer.namespace.closeOthers([]);
      }),
    );
  const keys = (): Promise<number> =>
    withEpochs(async (whole) => {
      for (let epoch = 1; epoch <= 2 * kept; epoch++) await whole(epoch);
      const before = await redis.dbsize();
      for (let epoch = 2 * kept + 1; epoch <= epochs; epoch++) await whole(epoch);
      return (await redis.dbsize()) / before;
    });
  const bytes = (): Promise<number> =>
    withEpochs(async (whole) => {
      await whole(1);
      const before = await usedMemory(redis);
      for (let epoch = 2; epoch <= kept; epoch++) await whole(epoch);
      return ((await usedMemory(redis)) - before) / (kept - 1);
    });
  const many = epochs.toLocaleString('en');
  // Each of the namespace's four pools gets one more key, once: that of its older operation ids.
  const size = `${keptSubmissions} submissions in ${keptProjects} projects, four validators`;
  return [
    {
      ...head(subject, `sequencer: keys after ${many} epochs ÷ after ${2 * kept}`, ['at most', 1.02], '×', 1),
      sample: keys,
    },
    { ...head(subject, `sequencer: memory per kept epoch, ${size}`, ['at most', 150_000], 'bytes', 1), sample: bytes },
  ];
}
