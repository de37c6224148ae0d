import { isIPv6 } from 'node:net';

const prefixGroups = 4;
const allGroups = 8;

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, of which one host has all addresses. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? [];
  if (mapped !== undefined) return mapped;
  return isIPv6(plain) ? `${groupsOf(plain).slice(0, prefixGroups).join(':')}::/64` : plain;
}

function groupsOf(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: allGroups - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16));
}
