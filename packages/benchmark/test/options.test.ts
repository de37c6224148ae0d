import { describe, expect, test } from 'vitest';
import { type BackendName, backendNames } from '../src/backends/backend.ts';
import { readOptions } from '../src/runner/options.ts';
import { passesOf } from '../src/runner/part.ts';

describe('the options of a run', () => {
  test('are all backends at a thousand and a hundred thousand without any', () => {
    expect(readOptions([])).toMatchObject({
      sizes: [1_000, 100_000],
      backends: ['ephemeral', 'sqlite', 'redis'],
      whole: true,
    });
  });

  test('add a million with --full', () => {
    expect(readOptions(['--full'])).toMatchObject({ sizes: [1_000, 100_000, 1_000_000], whole: true });
  });

  test('set another size against a thousand, or a tenth where it is smaller', () => {
    expect(readOptions(['--n', '50000']).sizes).toEqual([1_000, 50_000]);
    expect(readOptions(['--n', '100']).sizes).toEqual([10, 100]);
  });

  test('are as many passes as a part has by itself, one with a million stored, and no more than there are rounds', () => {
    const passes = (name: BackendName, ...given: string[]) =>
      passesOf({ kind: 'backend', name, full: false }, readOptions(given));
    expect(backendNames.map((name) => passes(name))).toEqual([2, 2, 2]);
    expect([passes('ephemeral', '--full'), passes('redis', '--full', '--passes', '3')]).toEqual([1, 3]);
    expect([passes('redis', '--rounds', '1'), passes('redis', '--rounds', '9')]).toEqual([1, 2]);
    expect(passesOf({ kind: 'peers' }, readOptions([]))).toBe(1);
  });

  test('leave the peers out beside another checkout', () => {
    expect(readOptions(['--against', 'another-checkout'])).toMatchObject({ against: 'another-checkout', peers: false });
  });

  test.each([
    ['--only', 'redis'],
    ['--n', '5000'],
    ['--rounds', '3'],
    ['--passes', '1'],
    ['--row', 'status'],
    ['--subject', 'a.ts'],
    ['--against', 'another-checkout'],
  ])('make it a part of a run with %s, which replaces no result', (...given) => {
    expect(readOptions(given).whole).toBe(false);
  });

  test.each([
    ['--only', 'another'],
    ['--n', 'many'],
    ['--n', '1.5'],
    ['--rounds', '0'],
    ['--passes', '0'],
    ['--n', '5000', '--full'],
    ['--subject', 'a.ts', '--against', 'another-checkout'],
    ['--unknown'],
  ])('refuse %s %s', (...given) => {
    expect(() => readOptions(given)).toThrow(Error);
  });
});
