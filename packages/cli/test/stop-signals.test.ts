import { expect, test } from 'vitest';
import { StopSignals } from '../src/terminal/stop-signals.ts';

test('the first signal stops, the same one within two seconds counts once', () => {
  const signals = new StopSignals();
  expect(signals.take('SIGTERM', 1_000)).toBe('stop');
  expect(signals.take('SIGTERM', 1_000)).toBe('same');
  expect(signals.take('SIGTERM', 2_999)).toBe('same');
  expect(signals.take('SIGTERM', 3_000)).toBe('end');
});

test('a signal of another kind ends at once', () => {
  const signals = new StopSignals();
  expect(signals.take('SIGTERM', 1_000)).toBe('stop');
  expect(signals.take('SIGINT', 1_001)).toBe('end');
});
