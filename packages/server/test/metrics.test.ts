import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mempool } from 'mempool-core';
import { createElection, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { createMetrics, type Metrics, Monitor } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const rules = readFileSync(join(root, 'alerts/mempool.rules.yml'), 'utf8');
const dashboard = readFileSync(join(root, 'grafana/mempool.json'), 'utf8');
const ruleTests = readFileSync(join(root, 'alerts/mempool.tests.yml'), 'utf8');

const names = [
  ...['mempool_transactions', 'mempool_bytes', 'mempool_oldest_pending_timestamp_seconds', 'mempool_floor_priority'],
  ...['mempool_tip_slot', 'mempool_blocks_total', 'mempool_transitions_total', 'mempool_dropped_total'],
  ...['mempool_time_to_finality_seconds', 'mempool_statistics_since_timestamp_seconds', 'mempool_calls_total'],
  ...['mempool_call_duration_seconds', 'mempool_store_up', 'mempool_queue_length', 'mempool_is_leader'],
  ...['mempool_election_term', 'mempool_fenced_total', 'mempool_http_requests_total'],
  ...['mempool_http_request_duration_seconds', 'mempool_sse_clients', 'mempool_build_info'],
];
/** Of the package mempool-sequencer, whose own tests show them. */
const ofSequencer = [
  ...['mempool_epoch_release_late_seconds', 'mempool_epoch_gaps', 'mempool_epochs_open', 'mempool_epoch_participation'],
  ...['mempool_sequencer_records_used_ratio', 'mempool_sequencer_clock_offset_seconds'],
];
const hash = 'ab'.repeat(32);

async function opened() {
  const metrics = createMetrics();
  const leases = new Leases();
  const options = { pool: 'p', ordering: 'priority', leases, now: () => 60_000 } as const;
  const pool: Mempool = await ephemeral.open({ ...options, observer: metrics.observer });
  onTestFinished(() => pool.close());
  return { metrics, pool, leases };
}

/** The value of a series, as it is written in the answer; `null` if it is not there. */
async function shown(metrics: Metrics, series: string): Promise<number | null> {
  const lines = (await metrics.text()).split('\n');
  const value = lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
  return value === undefined ? null : Number(value.replace('Inf', 'Infinity'));
}

test('the registry has the names of the specification, and nothing of the global one', async () => {
  const defined = Array.from((await createMetrics().text()).matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
  expect(defined.toSorted()).toEqual(names.toSorted());
});

test.for([
  ['dashboard', dashboard],
  ['alert rules', rules],
] as const)('every metric in the %s is in the registry', ([, text]) => {
  const used = new Set(
    Array.from(text.matchAll(/\bmempool_[a-z_]+/g), ([name]) => name.replace(/_(bucket|sum|count)$/, '')),
  );
  expect(used.size).toBeGreaterThan(10);
  expect([...used].filter((name) => ![...names, ...ofSequencer].includes(name))).toEqual([]);
});

test('every alert has a case in which it fires and one in which it does not', () => {
  const alerts = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name = '']) => name);
  const firing = Array.from(
    ruleTests.matchAll(/alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:/g),
    ([, name]) => name,
  );
  const silent = Array.from(ruleTests.matchAll(/\{ alertname: (\w+), eval_time: \w+ \}/g), ([, name]) => name);
  expect(alerts.length).toBeGreaterThan(10);
  expect(firing).toEqual(alerts);
  expect(silent).toEqual(alerts);
});

test('metrics of the pool and of the process, and never a hash', async () => {
  const { metrics, pool, leases } = await opened();
  const election = createElection(inProcessElection, { name: 'watcher', leases });
  const monitor = await Monitor.start(pool);
  metrics.attach({ pool, monitor, election });
  await pool.submit({ hash, payload: Buffer.from('four') });
  await pool.submit({ hash: 'cd'.repeat(32), payload: Buffer.from('four') });
  await pool.drop('cd'.repeat(32), { app: hash });
  await pool.confirm({ point: { slot: 9, hash }, seen: [hash], unseen: [] }, { finalizeThreshold: 1 });
  const stale = { nodeId: 'x', token: 'y', term: 3 };
  await pool.rollback('origin', { lease: stale });
  await expect.poll(() => monitor.summary().blocks.applied).toBe(1);
  metrics.httpRequest({ route: '/api/v1/transactions/{hash}', method: 'GET', status: 200, seconds: 0.02 });
  metrics.sseClients(7);
  const expected = {
    'mempool_transactions{stage="Pending"}': 0,
    mempool_statistics_since_timestamp_seconds: 0,
    'mempool_transitions_total{from="Pending",to="Finalized"}': 1,
    'mempool_dropped_total{reason="other"}': 1,
    'mempool_blocks_total{action="applied"}': 1,
    'mempool_time_to_finality_seconds_bucket{le="0.5"}': 1,
    'mempool_time_to_finality_seconds_bucket{le="+Inf"}': 1,
    mempool_time_to_finality_seconds_count: 1,
    mempool_tip_slot: 9,
    mempool_bytes: 0,
    mempool_floor_priority: Number.NEGATIVE_INFINITY,
    mempool_oldest_pending_timestamp_seconds: null,
    mempool_store_up: 1,
    mempool_is_leader: 0,
    mempool_election_term: 0,
    mempool_fenced_total: 1,
    'mempool_calls_total{verb="rollback",outcome="fenced"}': 1,
    'mempool_call_duration_seconds_count{verb="submit"}': 2,
    'mempool_http_requests_total{route="/api/v1/transactions/{hash}",method="GET",status="200"}': 1,
    mempool_sse_clients: 7,
  };
  const found = await Promise.all(Object.keys(expected).map(async (series) => [series, await shown(metrics, series)]));
  expect(Object.fromEntries(found)).toEqual(expected);
  expect(await metrics.text()).not.toContain(hash);
  await monitor.close();
});

test('counters count from the start of the process, with a zero before the first event, and gauges are the pool’s', async () => {
  const { metrics, pool } = await opened();
  const submitted = 'mempool_transitions_total{from="Unknown",to="Pending"}';
  const pending = 'mempool_transactions{stage="Pending"}';
  const failed = 'mempool_dropped_total{reason="failed"}';
  await pool.submit({ hash, payload: Buffer.from('four') });
  const first = await Monitor.start(pool);
  metrics.attach({ pool, monitor: first, election: null });
  expect(await shown(metrics, pending)).toBe(1);
  expect(await shown(metrics, submitted)).toBe(0);
  expect(await shown(metrics, failed)).toBe(0);
  await pool.submit({ hash: 'cd'.repeat(32), payload: Buffer.from('four') });
  await expect.poll(() => shown(metrics, submitted)).toBe(1);
  expect(await shown(metrics, pending)).toBe(2);
  await first.close();
  const process = createMetrics();
  await using next = await Monitor.start(pool);
  process.attach({ pool, monitor: next, election: null });
  expect(next.summary().received).toBe(2);
  expect(await shown(process, submitted)).toBe(0);
  expect(await shown(process, pending)).toBe(2);
});

test('a store that does not answer is down, and its gauges are left out', async () => {
  const { metrics, pool } = await opened();
  const monitor = await Monitor.start(pool);
  metrics.attach({ pool, monitor, election: null });
  await pool.confirm({ point: { slot: 9, hash }, seen: [], unseen: [] });
  expect(await shown(metrics, 'mempool_tip_slot')).toBe(9);
  await monitor.close();
  await pool.close();
  expect(await shown(metrics, 'mempool_store_up')).toBe(0);
  expect(await shown(metrics, 'mempool_tip_slot')).toBeNull();
});

test('labels are bounded, whatever comes', async () => {
  const metrics = createMetrics();
  for (let i = 0; i < 300; i++) {
    metrics.observer({ verb: `v${i}`, outcome: `o${i}`, durationMs: 1, batch: 1, waiting: 0, underWay: 0 });
    metrics.httpRequest({ route: `/r${i}`, method: `M${i}`, status: 200, seconds: 1 });
  }
  const text = await metrics.text();
  for (const name of ['mempool_calls_total', 'mempool_http_requests_total'])
    expect(text.split('\n').filter((line) => line.startsWith(`${name}{`))).toHaveLength(101);
  expect(text).toContain('mempool_calls_total{verb="other",outcome="other"} 200');
});
