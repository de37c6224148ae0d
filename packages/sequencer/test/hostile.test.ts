// Strangers that send what costs them nothing.
import { describe, expect, test } from 'vitest';
import { merkleRoot, type SlotSignature } from '../src/index.ts';
import { alone, backends, type cast, onEpoch, openEpoch } from './cast.ts';
import { batchOf, endorsementOf, leavesOf, offer } from './played.ts';
import { forged } from './traffic.ts';
import { signed, type Validator, verifySlot } from './validator.ts';

const vote = (cid: string) => ({ epoch: 1, slot: 7, project: 'p', cid });

/** One validator in an epoch whose window is open. */
async function inWindow(backend: string, options: Parameters<typeof cast>[1] = {}): Promise<Validator> {
  const { scene, one } = await alone(backend, options);
  await one.join();
  await openEpoch(scene, 1);
  return one;
}

describe.each(backends)('on %s', (backend) => {
  test('messages that the slot has not signed use up nothing of its quota', async () => {
    const { first } = await inWindow(backend, { maxPerSlot: 2 });
    const accept = (message: Uint8Array) => first.gateway.accept(message, { peer: 'stranger' });
    for (let i = 0; i < 20; i++) expect(await accept(forged(vote(`c${i}`)))).toEqual({ kind: 'bad-signature' });
    // The same submission as a forged one, too.
    for (const cid of ['c0', 'c1']) expect(await accept(signed(vote(cid)))).toMatchObject({ kind: 'received' });
    expect(await accept(signed(vote('c2')))).toEqual({ kind: 'quota', limit: 2 });
    expect(await onEpoch(first, 1, (pool) => pool.usage())).toMatchObject({ pending: 2 });
  });

  test('a signed vote in many forms and with many signatures is one vote', async () => {
    const anyCase = (each: SlotSignature) =>
      verifySlot({ ...each, signature: each.signature.toLowerCase().replace(/^0x/, '') });
    const { first } = await inWindow(backend, { maxPerSlot: 2, verifySlot: anyCase });
    const plain = Buffer.from(signed(vote('c'))).toString();
    const { signature, ...fields } = JSON.parse(plain) as { readonly signature: string };
    const forms = [
      plain,
      ...Array.from({ length: 20 }, (_, i) => `${' '.repeat(i + 1)}${plain}`),
      ...Array.from({ length: 20 }, (_, i) => JSON.stringify({ i, ...fields, signature })),
      JSON.stringify({ ...fields, signature: `0x${signature}` }),
      JSON.stringify({ ...fields, signature: signature.toUpperCase() }),
    ];
    const accept = async (form: string) => (await first.gateway.accept(Buffer.from(form), { peer: 'stranger' })).kind;
    const atOnce = await Promise.all(forms.map(accept));
    expect(atOnce.toSorted()).toEqual([...forms.slice(1).map(() => 'duplicate'), 'received']);
    expect(await Promise.all(forms.map(accept))).toEqual(forms.map(() => 'duplicate'));
    expect(await accept(Buffer.from(signed(vote('other'))).toString())).toBe('received');
  });

  test('messages of no validator, or of an epoch that has not begun here, are not stored', async () => {
    const { first } = await inWindow(backend);
    const root = merkleRoot(leavesOf({ a: 'x' }));
    const stored = () => first.namespace.incoming.usage();
    for (let epoch = 2; epoch < 100; epoch++)
      expect(await offer(first, await endorsementOf('v2', epoch, root))).toEqual({ kind: 'unknown-epoch' });
    for (let i = 0; i < 100; i++) {
      const unsigned = { epoch: 1, validator: 'v2', root: i.toString(16).padStart(64, '0'), signature: 'ab' };
      expect(await offer(first, unsigned)).toEqual({ kind: 'bad-signature' });
      expect(await offer(first, { ...unsigned, validator: `v2${i}` })).toEqual({ kind: 'unknown-validator' });
    }
    expect(await stored()).toMatchObject({ pending: 0, propagated: 0, logged: 0 });
    expect(await offer(first, await endorsementOf('v2', 1, root))).toMatchObject({ kind: 'received' });
    expect(await stored()).toMatchObject({ pending: 1 });
  });

  test('the leaves of a batch are not read before its signature', async () => {
    const { first } = await inWindow(backend);
    const { gateway } = first;
    const good = await batchOf('v2', 1, leavesOf({ a: 'x' }));
    const accept = (fields: object) => gateway.acceptBatch(Buffer.from(JSON.stringify(fields)), { peer: 'stranger' });
    for (const leaves of [null, [1], [['b', 'y']]])
      expect(await accept({ ...good, leaves, signature: 'ab' })).toEqual({ kind: 'bad-signature' });
    expect(await accept({ ...good, leaves: null, epoch: 2 })).toEqual({ kind: 'unknown-epoch' });
    // Nor by the gateway at all: a process of its own computes their root.
    expect(await accept({ ...good, leaves: [['b', 'y']] })).toMatchObject({ kind: 'received' });
  });
});
