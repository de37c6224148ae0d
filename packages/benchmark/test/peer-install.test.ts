import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPeers } from '../src/peers/install.ts';

let home = '';

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'peers-'));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A folder with a package that needs `packages`, locked. */
function locked(name: string, packages: Record<string, string>): string {
  const folder = join(home, name);
  const head = { name: 'peers', version: '0.0.0', dependencies: packages };
  const entries = Object.entries(packages).map(([each, version]) => [`node_modules/${each}`, { version }]);
  const lock = { ...head, lockfileVersion: 3, packages: { '': head, ...Object.fromEntries(entries) } };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(head));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  return folder;
}

/** No network and nothing kept from before. */
function offline(): string[] {
  return ['--offline', '--cache', join(home, 'cache')];
}

describe('installing the peers', () => {
  test('ends with one line where a package cannot be had', async () => {
    const from = locked('unreachable', { 'bee-queue': '2.0.0' });
    const install = await installPeers(join(home, 'missing'), { from, flags: offline() });
    expect(install.kind).toBe('missing');
    const reason = install.kind === 'missing' ? install.reason : '';
    expect(reason.split('\n')).toHaveLength(1);
    expect(reason.length).toBeGreaterThan('npm ci failed: '.length);
  });

  test('tries again after a failure', async () => {
    const from = locked('still-unreachable', { 'bee-queue': '2.0.0' });
    const again = () => installPeers(join(home, 'twice'), { from, flags: offline() });
    expect([(await again()).kind, (await again()).kind]).toEqual(['missing', 'missing']);
  });

  test('is done once for a lockfile, and again when that has changed', async () => {
    const folder = join(home, 'installed');
    const from = locked('empty', {});
    expect(await installPeers(folder, { from, flags: offline() })).toEqual({ kind: 'installed', folder });
    const mark = join(folder, 'installed.json');
    const first = statSync(mark).mtimeMs;
    expect(await installPeers(folder, { from, flags: offline() })).toEqual({ kind: 'installed', folder });
    expect(statSync(mark).mtimeMs).toBe(first);
    const changed = locked('changed', { 'bee-queue': '2.0.0' });
    expect((await installPeers(folder, { from: changed, flags: offline() })).kind).toBe('missing');
  });
});
