/** The demonstration's faults, one after the other: kills of the leader, and between them everything else in turn. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Leader } from './cluster.ts';
import type { FaultPlanParts } from './failover-run.ts';

/** Long enough for the slowest machine; what takes longer is a violation of its own. */
const patienceMs = 60_000;
const downMs = 500;

export async function killLeaders(parts: FaultPlanParts, kills: number): Promise<void> {
  const { cluster, faults } = parts;
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(parts);
    const { node, term } = await cluster.working(patienceMs);
    await Promise.all([faults.kill(node, downMs), nextLeader(parts, term)]);
    await between(parts, kill);
  }
  await cluster.working(patienceMs);
}

async function between(parts: FaultPlanParts, kill: number): Promise<void> {
  const { cluster, faults, ttlMs } = parts;
  const longer = 1.5 * ttlMs;
  const leader = await cluster.working(patienceMs);
  const { node } = leader;
  switch (kill % 4) {
    case 0:
      return succeeded(parts, leader, faults.pause(node, longer));
    case 1:
      return succeeded(parts, leader, faults.resign(node));
    case 2:
      return succeeded(parts, leader, faults.cut(node, longer));
    case 3:
      return succeeded(parts, leader, faults.stop(node, downMs));
  }
}

async function succeeded(parts: FaultPlanParts, { term }: Leader, fault: Promise<void>): Promise<void> {
  await Promise.all([nextLeader(parts, term), fault]);
}

function nextLeader({ cluster }: FaultPlanParts, term: number): Promise<void> {
  return cluster.until('another node leads', patienceMs, () => (cluster.leader?.term ?? 0) > term);
}

/** A little work in between, of a length that the renewals do not know. */
async function pause({ random, signal }: FaultPlanParts): Promise<void> {
  await delay(200 + random.below(400), undefined, { signal });
}
