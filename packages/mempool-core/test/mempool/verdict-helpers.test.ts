import { describe, expect, it } from 'vitest';
import { checkVerdict } from '../../src/boundary/verdicts.ts';
import { namedLimits } from '../../src/contract/limits.ts';
import { isRefusal } from '../../src/contract/verdict.ts';
import { account, accountTag, onePerSender } from '../../src/mempool/account.ts';
import { utxo, utxoLimits, utxoTags } from '../../src/mempool/utxo.ts';

const invalid = (field: string) => expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: { field } });

describe('one transaction per sender', () => {
  it('is a limit of 1 and no tag', () => {
    expect(onePerSender('alice')).toEqual({ sender: 'alice', senderLimit: 1 });
    expect(onePerSender('alice', { priority: 7n, gas: 2 })).toEqual({
      sender: 'alice',
      senderLimit: 1,
      priority: 7n,
      gas: 2,
    });
  });
});

describe('the account model', () => {
  it('provides its nonce, and needs the one before unless the chain expects its own', () => {
    expect(account('alice', 5, 5)).toEqual({ sender: 'alice', provides: ['account:alice:5'], requires: [] });
    expect(account('alice', 7n, 5)).toEqual({
      sender: 'alice',
      provides: ['account:alice:7'],
      requires: ['account:alice:6'],
    });
    expect(account('alice', 0, 0)).toMatchObject({ provides: ['account:alice:0'], requires: [] });
  });

  it('answers a nonce that is used with a refusal under a codespace of its own', () => {
    const answer = account('alice', 4, 5n);
    expect(isRefusal(answer)).toBe(true);
    expect(answer).toMatchObject({ code: 1, codespace: 'mempool', penalize: false });
  });

  it('keeps the tags and all else that is given beside', () => {
    const answer = account('a', 2, 1, { priority: 9n, senderLimit: 4, provides: ['x'], requires: ['y'] });
    expect(answer).toEqual({
      priority: 9n,
      senderLimit: 4,
      sender: 'a',
      provides: ['account:a:2', 'x'],
      requires: ['account:a:1', 'y'],
    });
  });

  it('never gives two accounts one tag, whatever colons their names have', () => {
    const names = ['a', 'a:1', 'a:1:', ':', '1'];
    const tags = names.flatMap((name) => [1, 11, 111].map((nonce) => accountTag(name, nonce)));
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('makes tags that a store takes, for the longest sender and the last nonce', () => {
    const answer = account('s'.repeat(227), 2n ** 64n - 1n, 0);
    if (isRefusal(answer)) expect.unreachable();
    else expect(checkVerdict('verdict', answer).provides[0]).toHaveLength(256);
  });

  it.each([
    ['sender', '', 1, 1],
    ['sender', 's'.repeat(228), 1, 1],
    ['nonce', 'a', -1, 0],
    ['nonce', 'a', 1.5, 0],
    ['nonce', 'a', 2 ** 53, 0],
    ['nonce', 'a', 2n ** 64n, 0],
    ['chainNonce', 'a', 1, -1n],
    ['chainNonce', 'a', 1, Number.NaN],
  ] as const)('refuses a bad %s: %s, %s, %s', (field, sender, nonce, chainNonce) => {
    expect(() => account(sender, nonce, chainNonce)).toThrow(invalid(field));
  });
});

describe('the UTXO model', () => {
  it('spends every input, makes every output, and needs only what is not on the chain', () => {
    expect(utxo({ confirmed: ['a#0'], unconfirmed: ['b#1'] }, ['c#0', 'c#1'])).toEqual({
      provides: ['spent:a#0', 'spent:b#1', 'made:c#0', 'made:c#1'],
      requires: ['made:b#1'],
    });
    expect(utxo({ confirmed: ['a#0'] }, [])).toEqual({ provides: ['spent:a#0'], requires: [] });
  });

  it('keeps the tags and all else that is given beside', () => {
    const verdict = utxo({ confirmed: ['a'] }, ['b'], { priority: 3n, provides: ['x'], requires: ['y'] });
    expect(verdict).toEqual({ priority: 3n, provides: ['spent:a', 'made:b', 'x'], requires: ['y'] });
  });

  it('never takes an output that is made for one that is spent', () => {
    expect(new Set(utxoTags(['a', 'made:a'], ['a', 'spent:a'])).size).toBe(4);
  });

  it.each([
    ['inputs[1]', { confirmed: ['a', ''] }, []],
    ['inputs[1]', { confirmed: ['a'], unconfirmed: ['o'.repeat(251)] }, []],
    ['outputs[0]', { confirmed: [] }, ['']],
  ])('refuses a bad outpoint: %s', (field, inputs, outputs) => {
    expect(() => utxo(inputs, outputs)).toThrow(invalid(field));
  });

  it('has limits of its own that a pool takes', () => {
    expect(namedLimits(utxoLimits)).toEqual({ eviction: 'none' });
  });
});
