import { type ConformanceCase, runCase } from 'mempool-conformance';
import { type Fault, type Group, thirdParty } from '../third-party.ts';
import { handleMutants } from './handles.ts';
import { ruleMutants } from './rules.ts';
import { storeMutants } from './stores.ts';

export const mutantGroups: readonly Group[] = [...ruleMutants, ...storeMutants, ...handleMutants];
export const ledgerMutants: readonly Fault[] = mutantGroups.flatMap(({ faults }) => faults);

/** How long a case waits for what never comes. The others may take as long as a loaded machine needs. */
const waitingMs = 700;

/** Whether a case notices the fault: by its time only if the fault is that something never comes. */
export async function notices(one: ConformanceCase, fault: Fault): Promise<boolean> {
  const limit = fault.waits === true ? { timeoutMs: waitingMs } : {};
  const { outcome } = await runCase(thirdParty(fault), one, { seed: 1, ...limit });
  return outcome.kind === 'failed' && (fault.waits === true || !outcome.error.message.startsWith('not done after'));
}
