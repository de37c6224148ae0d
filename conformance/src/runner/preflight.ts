import type { CaseContext, Subject } from '../case/case.ts';
import { Random } from '../case/random.ts';
import { type AnySubject, wholeSubject } from '../case/subject.ts';
import type { TestedPool } from '../case/tested-pool.ts';
import { storeVerbs } from '../case/verbs.ts';
import { newCampaign } from '../scenario/lease.ts';
import { newWallets } from '../scenario/ledger.ts';
import { point, transaction } from '../scenario/pool.ts';
import { limitOf } from './limits.ts';
import { CaseScope } from './scope.ts';

/** A mistake in the subject, not in its backend. */
class SubjectFault extends Error {}

type Check = (subject: Subject, context: CaseContext) => Promise<void>;

/**
 * Checks a subject before its cases run. If its module is wrong, if it drops options, or if it mixes pools of different names,
 * most cases would fail without a clear reason.
 *
 * @throws Error with instructions to correct the subject
 */
export async function preflight(given: AnySubject): Promise<void> {
  const subject = wholeSubject(given);
  const timeoutMs = limitOf('timeoutMs');
  if (!('backend' in given) && 'ledger' in given) return within(timeoutMs, subject, checkLedger);
  const introduction: Check = (_, context) => checkModule(given, context);
  const checks = 'backend' in given ? [...poolChecks, introduction, checkLeases] : [introduction, checkLeases];
  for (const check of checks) await within(timeoutMs, subject, check);
}

async function within(timeoutMs: number, subject: Subject, check: Check): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const scope = new CaseScope(subject, {}, { seed: 1, effort: 1, signal });
  const late = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new SubjectFault(`no answer after ${timeoutMs} ms`))),
  );
  try {
    await Promise.race([check(subject, scope.context), late]);
  } catch (error) {
    throw new Error(`${subject.name} cannot be tested: ${hint(error, scope.recording.lines())}`, { cause: error });
  } finally {
    await scope.end();
  }
}

function hint(error: unknown, lastCalls: readonly string[]): string {
  if (error instanceof SubjectFault) return error.message;
  const message = error instanceof Error ? error.message : String(error);
  return [...lastCalls.slice(-1), message].join(': ');
}

/** Every child process loads the subject from its module. `none:` in place of the URL says that there are none. */
async function checkModule(given: AnySubject, { fork, open, random }: CaseContext): Promise<void> {
  const { name, module } = wholeSubject(given);
  if (module.startsWith('none:')) return;
  if (!module.startsWith('file:'))
    throw new SubjectFault(`module is ${module}: give import.meta.url, the URL of the file that exports the subject`);
  const one = transaction(random);
  const child = await fork('introduce', { calls: 'backend' in given ? [{ verb: 'receive', args: [[one]] }] : [] });
  const told = await child.message();
  if (told !== name)
    throw new SubjectFault(`module exports the subject ${told}: give import.meta.url of the file that exports ${name}`);
  if (!('backend' in given)) return;
  await child.message();
  await child.kill();
  if (!given.backend.capabilities.durable || (await has(await open(), one.hash))) return;
  throw new SubjectFault(
    'what a child process was answered is not there for its parent: derive the place of a pool from its name and the environment alone',
  );
}

const poolChecks: readonly Check[] = [
  async (_, { open }) => {
    const store = await open();
    const missing = storeVerbs.filter((verb) => typeof store[verb] !== 'function').map(String);
    if (missing.length > 0) throw new SubjectFault(`what open gives is no store: it lacks ${missing.join(', ')}`);
    const { pending, lastSeq } = await store.usage();
    if (pending > 0 || lastSeq > 0)
      throw new SubjectFault(
        'a pool with a new name is not empty: open must pass the name on, destroy remove the pool',
      );
  },
  async (_, { open, openOther }) => {
    const [store, other] = [await open(), await openOther()];
    if (!(await finds(other, store))) return;
    throw new SubjectFault('pools with two names are one: open must pass the name on');
  },
  checkOptions,
  async ({ backend }, { open }) => {
    if (!backend.capabilities.shared) return;
    if (await finds(await open(), await open())) return;
    throw new SubjectFault(
      'its backend is shared, but the same name again is another pool: open must pass the name on',
    );
  },
  async ({ backend }, { open, random }) => {
    if (!backend.capabilities.durable) return;
    const store = await open();
    const one = transaction(random);
    await store.receive([one]);
    await store.close();
    if (await has(await open(), one.hash)) return;
    throw new SubjectFault(
      'its backend is durable, but a pool that was closed is empty when opened by the same name again',
    );
  },
];

async function checkOptions({ backend }: Subject, { open, openOther, random }: CaseContext): Promise<void> {
  const store = await open({ finalizeThreshold: 1 });
  const one = transaction(random);
  await store.receive([one]);
  await store.confirm({ point: point(1), seen: [one.hash], unseen: [] });
  const [status] = await store.status([one.hash]);
  if (status?.stage === 'Confirmed')
    throw new SubjectFault('open(pool, options) drops finalizeThreshold: pass all options on to the backend');
  if (!backend.capabilities.priority) return;
  const ranked = await openOther({ ordering: 'priority' });
  if (ranked.ordering !== 'priority')
    throw new SubjectFault('open(pool, options) drops ordering: pass all options on to the backend');
}

async function checkLeases({ leases: open }: Subject, { leases, newPool, random }: CaseContext): Promise<void> {
  if (open === undefined) return;
  const [node, again, other] = [await leases(), await leases(), await leases({ pool: newPool() })];
  const { kind } = await node.campaign(newCampaign(random));
  if (kind !== 'won') throw new SubjectFault(`the first campaign of a new pool's election is answered ${kind}`);
  if ((await again.observe()).lease === null)
    throw new SubjectFault('leases of the same pool again are another election: pass the name on');
  if ((await other.observe()).lease !== null)
    throw new SubjectFault('leases of another pool are the same election: pass the name on');
}

async function checkLedger({ backend }: Subject, { ledger, newPool }: CaseContext): Promise<void> {
  const [node, other] = [await ledger(), await ledger({ name: newPool() })];
  await newWallets(node, 'mark');
  if ((await other.wallet('mark')) !== null)
    throw new SubjectFault('ledgers of two names are one: pass the name on to openLedger');
  const { durable, shared } = backend.capabilities;
  if (shared && (await (await ledger()).wallet('mark')) === null)
    throw new SubjectFault('it is shared, but the same name again is another ledger: pass the name on to openLedger');
  await Promise.all([node.close(), other.close()]);
  if (!durable || (await (await ledger()).wallet('mark')) !== null) return;
  throw new SubjectFault('it is durable, but a ledger that was closed is empty when it is opened again');
}

async function finds(store: TestedPool, writer: TestedPool): Promise<boolean> {
  const one = transaction(new Random(1));
  await writer.receive([one]);
  return has(store, one.hash);
}

async function has(store: TestedPool, hash: string): Promise<boolean> {
  const [status] = await store.status([hash]);
  return status?.stage === 'Pending';
}
