import { describe, expect, test } from 'vitest';
import { readOptions } from '../src/runner/options.ts';

describe('what others offer', () => {
  const cases: readonly (readonly [string, string[], object])[] = [
    ['runs in a whole run', [], { peers: true, whole: true }],
    ['is left out where asked, and then the run is not whole', ['--no-peers'], { peers: false, whole: false }],
    ['is left out of a run of one backend', ['--only', 'redis'], { peers: false, backends: ['redis'] }],
    ['runs beside one backend where asked', ['--only', 'redis', '--peers'], { peers: true, backends: ['redis'] }],
    ['runs alone', ['--only', 'peers'], { peers: true, backends: [], whole: false }],
  ];
  test.each(cases)('%s', (_, given, options) => {
    expect(readOptions(given)).toMatchObject(options);
  });
});
