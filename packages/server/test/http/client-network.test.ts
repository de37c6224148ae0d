import { expect, test } from 'vitest';
import { networkOf } from '../../src/http/client-network.ts';
import { clientKey } from '../../src/http/gate.ts';

test('the addresses of one IPv6 /64 are one client', () => {
  const keys = Array.from({ length: 20 }, (_, i) =>
    clientKey(null, { incoming: { socket: { remoteAddress: `2001:db8:0:1::${i.toString(16)}` } } as never }),
  );
  expect(new Set(keys).size).toBe(1);
});

test.each([
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['1:2:3:4:5::', '1:2:3:4::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::1:2:3:4:5', '0:0:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.8', '192.0.2.8'],
  ['192.0.2.7', '192.0.2.7'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
