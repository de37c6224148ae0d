import { expect, test } from 'vitest';
import { namespaceOf, networkOf } from '../../src/command/section.ts';

test('other names give another namespace and another network', () => {
  const names = ['a', 'b', 'a-b', 'b-c', 'a/b', 'b/c', 'a%2Fb', 'c'];
  const pairs = names.flatMap((one) => names.map((other) => [one, other] as const));
  const namespaces = pairs.map(([protocol, name]) => namespaceOf({ protocol, name, market: 'm' }).protocol);
  expect(new Set(namespaces).size).toBe(pairs.length);
  expect(new Set(pairs.map(([protocol, market]) => networkOf({ protocol, market }))).size).toBe(pairs.length);
});
