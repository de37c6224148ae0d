import assert from 'node:assert/strict';
import { isLedgerError, type Ledger } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachLedger, eachOnLedger } from '../../case/must.ts';
import { coin, created, fund, move, totals, walletOf, whole } from '../../scenario/ledger.ts';

type Wrong = readonly [
  field: string,
  call: (ledger: Ledger, given: never) => Promise<unknown>,
  given: readonly unknown[],
];

const pay = (more: object) => ({ ...move('x', 'a', 'b', 1n), ...more });
const long = (length: number): string => 'x'.repeat(length);

/** A valid ed25519 key: the one of RFC 8032, 7.1, test 1. */
const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

const wrong: readonly Wrong[] = [
  [
    'owner',
    (one, owner) => one.createWallet({ ...walletOf('x'), owner }),
    ['', 7, null, undefined, long(257), 'a\nb', '\ud800'],
  ],
  [
    'currency',
    (one, currency) => one.createWallet({ ...walletOf('x'), currency }),
    ['', 7, undefined, long(17), 'a\tb'],
  ],
  ['overdraft', (one, overdraft) => one.createWallet({ ...walletOf('x'), overdraft }), ['yes', 1, null]],
  [
    'tags',
    (one, tags) => one.createWallet({ ...walletOf('x'), tags }),
    ['a', {}, Array.from({ length: 33 }, (_, i) => `${i}`)],
  ],
  [
    'tags[1]',
    (one, tag) => one.createWallet({ ...walletOf('x'), tags: ['a', tag] }),
    ['', 7, long(257), 'a\nb', '\udc00'],
  ],
  ['tags', (one, tags) => one.setTags('a', tags), ['a', null, Array.from({ length: 33 }, (_, i) => `${i}`)]],
  [
    'signer',
    (one, signer) => one.createWallet({ ...walletOf('x'), signer }),
    ['', 'rsa:00', `ed25519:${long(64)}`, 'secp256k1:02', 7],
  ],
  ['colour', (one, colour) => one.createWallet({ ...walletOf('x'), colour } as never), ['red']],
  ['currency', (one, currency) => one.transfer(pay({ currency })), ['', 7, undefined, long(17)]],
  ['description', (one, description) => one.transfer(pay({ description })), [7, null, long(513), 'a\nb', '\ud800']],
  [
    'metadata',
    (one, metadata) => one.transfer(pay({ metadata })),
    [null, 'x', [], new Map([['a', 'b']]), { a: long(4_096) }],
  ],
  ['metadata.a', (one, a) => one.transfer(pay({ metadata: { a } })), [1, null, {}, '\ud800']],
  [
    'signature.bytes',
    (one, bytes) => one.transfer(pay({ signature: { signer: `ed25519:${key}`, bytes } })),
    ['', 'zz', 7],
  ],
  ['colour', (one, colour) => one.transfer(pay({ colour })), ['red']],
  [
    'timeoutMs',
    (one, timeoutMs) => one.reserve({ ...pay({}), timeoutMs }),
    [0, -1, 1.5, '5', null, Number.NaN, 2 ** 53],
  ],
  ['timeoutMs', (one, timeoutMs) => one.transfer(pay({ timeoutMs })), [5]],
  ['arbiter', (one, arbiter) => one.reserve({ ...pay({}), arbiter }), ['', 'a\n', long(257), 5, null]],
  ['payerMayVoid', (one, payerMayVoid) => one.reserve({ ...pay({}), payerMayVoid }), [null, 0, 'true']],
  ['arbiter', (one, arbiter) => one.transfer(pay({ arbiter })), ['a']],
  ['source', (one, source) => one.post({ id: 'x', pendingId: 'r', source } as never), ['a']],
  ['amount', (one, amount) => one.void({ id: 'x', pendingId: 'r', amount } as never), [1n]],
  ['kind', (one, kind) => one.batch([{ ...pay({}), kind }]), ['expire', 'pay', undefined, 'constructor']],
  ['calls', (one, calls) => one.batch(calls), ['x', {}, null]],
  ['match', (one, match) => one.wallets({ match }), ['some', null, 1]],
  ['owner', (one, owner) => one.wallets({ owner }), ['', 7, null]],
  ['tags', (one, tags) => one.wallets({ tags }), ['x', null]],
  ['limit', (one, limit) => one.wallets({ limit }), [0, 1_001, 1.5, '5', -1]],
  ['after', (one, after) => one.wallets({ after }), [-1, 0.5, '5', 2 ** 53]],
  ['tag', (one, tag) => one.wallets({ tag } as never), ['x']],
  ['limit', (one, limit) => one.transfers({ wallet: 'a', limit }), [0, 1_001, '5']],
  ['after', (one, after) => one.transfers({ wallet: 'a', after }), [-1, 'x']],
  ['after', (one, after) => one.records(after), [-1, 0.5, '5', undefined]],
];

const refusing = eachOnLedger({
  'A1/fields: a wrong argument is an error that names the field, and changes nothing': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const before = await whole(ledger);
    for (const [field, call, values] of wrong)
      for (const value of values) {
        const told = await call(ledger, value as never).then(
          (answer) => ({ answer }),
          (error: unknown) => (isLedgerError(error, 'ERR_LEDGER_ARGUMENT') ? 'refused' : error),
        );
        assert.deepEqual([field, value, told], [field, value, 'refused']);
        await assert.rejects(call(ledger, value as never), { field });
      }
    assert.deepEqual(await whole(ledger), before);
  },
  'A1/mutated: what the caller changes after the call does not matter': async (ledger) => {
    await fund(ledger, { a: 10n, b: 0n });
    const call = { ...move('t', 'a', 'b', 1n), metadata: { k: 'v' } };
    const answer = ledger.transfer(call);
    Object.assign(call, { amount: 9n, destination: 'a' });
    call.metadata.k = 'other';
    const { transfer } = await answer;
    assert.deepEqual(
      [transfer?.amount, transfer?.metadata, await totals(ledger, 'b')],
      [1n, { k: 'v' }, [1n, 0n, 0n, 0n]],
    );
    const tags = ['a', 'b'];
    const tagged = ledger.setTags('b', tags);
    tags.push('c');
    assert.deepEqual((await tagged).wallet?.tags, ['a', 'b']);
  },
});

/** Texts that SQL, scripts, patterns, numbers, JSON or keys of objects may take for something else. */
const odd: readonly string[] = [
  ...[
    'a:b',
    '{x}',
    '"q"',
    "it's",
    ' a',
    'a ',
    'A',
    'a',
    '\\',
    '%',
    '_',
    '*',
    '[a-z]',
    '$1',
    '--',
    ';',
    '#',
    '/../',
    '\u2028',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'true',
    '0',
    '1',
    '01',
    '1.0',
    '1e3',
    '-0',
    '9007199254740993',
  ],
  ...['é', 'e\u0301', '😀', '\u{10ffff}', 'ａ', '\ufeff', '\u200b', 'ß', 'ss', 'İ', 'a~', 'a~:1', '::', '{a}:b', ','],
];

const texts = eachOnLedger({
  'A2/wallets: wallets whose ids, owners and tags have any characters are apart, and are found': async (ledger) => {
    for (const text of odd) {
      const spec = { id: text, owner: text, tags: [text, `${text}!`], currency: coin };
      const { outcome, wallet } = await ledger.createWallet(spec);
      assert.deepEqual([text, outcome, wallet?.id, wallet?.owner], [text, 'created', text, text]);
      await created(ledger.transfer(move(`to ${text}`, '~vault', text, BigInt(text.length))));
    }
    for (const text of odd) {
      assert.deepEqual([text, ...(await totals(ledger, text))], [text, BigInt(text.length), 0n, 0n, 0n]);
      for (const search of [
        { owner: text },
        { tags: [text] },
        { tags: [`${text}!`, text] },
        { owner: text, tags: [text] },
      ])
        assert.deepEqual(
          (await ledger.wallets(search)).items.map(({ id }) => id),
          [text],
        );
      assert.deepEqual(
        (await ledger.transfers({ wallet: text })).items.map(({ id }) => id),
        [`to ${text}`],
      );
    }
  },
  'A2/ids: ids, descriptions and metadata too': async (ledger) => {
    await fund(ledger, { a: 10_000n, b: 0n });
    for (const id of odd) {
      const said = { description: id, metadata: { [id]: id } };
      const { transfer } = await ledger.reserve(move(id, 'a', 'b', 1n, said));
      assert.deepEqual(
        [transfer?.id, transfer?.description, Object.entries(transfer?.metadata ?? {})],
        [id, id, [[id, id]]],
      );
      assert.deepEqual(await ledger.findTransfer(id), transfer);
      await created(ledger.post({ id: `post ${id}`, pendingId: id }));
    }
    assert.equal((await ledger.audit()).ok, true);
  },
  'A2/longest: the longest texts are taken whole': async (ledger) => {
    const wide = (length: number): string => '😀'.repeat(length / 2);
    const [id, owner, currency] = [wide(64), wide(256), wide(16)];
    const tags = Array.from({ length: 32 }, (_, i) => `${String(i).padStart(2, '0')}${wide(254)}`);
    const { wallet } = await ledger.createWallet({ id, owner, tags, currency });
    assert.deepEqual([wallet?.id, wallet?.owner, wallet?.tags, wallet?.currency], [id, owner, tags, currency]);
    assert.deepEqual((await ledger.wallets({ owner, tags })).items, [wallet]);
    await fund(ledger, { a: 10n, b: 0n });
    const metadata = { k: long(4_096 - '[["k",""]]'.length) };
    const transfer = await created(
      ledger.transfer(move(wide(128), 'a', 'b', 1n, { description: wide(512), metadata })),
    );
    assert.deepEqual([transfer.id, transfer.description, transfer.metadata], [wide(128), wide(512), metadata]);
    assert.deepEqual(await ledger.findTransfer(wide(128)), transfer);
  },
});

const opening = eachLedger({
  'A1/options: wrong options are refused by name': async ({ ledger: open }) => {
    const given = {
      name: ['', 'a b', 'x'.repeat(65), 'a/b', 7],
      retentionMs: [0, -1, 'x', 1.5],
      maxRefusals: [0, -1, 'x'],
      now: [7],
      currency: ['', 7],
      colour: [1],
    };
    for (const [field, values] of Object.entries(given))
      for (const value of values) {
        const told = open({ [field]: value });
        await assert.rejects(told, (error) => isLedgerError(error, 'ERR_LEDGER_ARGUMENT') && error.field === field);
      }
  },
});

export const argumentCases: readonly ConformanceCase[] = [...refusing, ...opening, ...texts];
