import { type FailoverEntry, killFault, parseFailoverRecord } from 'mempool-conformance/failover';
import { expect, test } from 'vitest';
import { figuresOf } from '../src/report/figures.ts';

const nsPerMs = 1e6;

/** A node leads from `at` until its deadline, 1,000 ms later. */
function acquired(pid: number, at: number): FailoverEntry {
  const [node, token] = [`node-${pid}`, `token ${at}`];
  const times = { at: at * nsPerMs, sentAt: at * nsPerMs, deadline: (at + 1_000) * nsPerMs };
  return { kind: 'acquired', ...times, node, pid, term: at, token };
}

function fault(name: string, pid: number, at: number): FailoverEntry {
  return { kind: 'fault', at: at * nsPerMs, fault: name, target: `node-${pid}`, pid, removesLease: false };
}

function figures(...entries: readonly FailoverEntry[]) {
  return figuresOf(parseFailoverRecord(entries.map((entry) => JSON.stringify(entry)).join('\n')));
}

test('a crash lasts from the kill to the next win', () => {
  const kills = [fault(killFault, 1, 100), fault(killFault, 2, 1_000), fault(killFault, 3, 1_500)];
  const wins = [acquired(1, 50), acquired(2, 900), acquired(3, 1_400), acquired(1, 2_400)];
  expect(figures(...kills, ...wins).crash).toEqual({ count: 3, medianMs: 800, maxMs: 900 });
});

test('a hand-over lasts from the request to the next win', () => {
  const faults = [fault('resign', 1, 100), fault('clean stop', 2, 200)];
  const { handOver } = figures(...faults, acquired(1, 50), acquired(2, 110), acquired(1, 240));
  expect(handOver).toEqual({ count: 2, medianMs: 40, maxMs: 40 });
});

test('what meets a node that does not lead, and what nobody follows, is no fail-over', () => {
  const faults = [fault(killFault, 2, 100), fault('resign', 1, 1_100), fault(killFault, 3, 1_300)];
  const { crash, handOver } = figures(...faults, acquired(1, 50), acquired(3, 1_200));
  expect([crash, handOver]).toEqual(Array(2).fill({ count: 0, medianMs: null, maxMs: null }));
});
