import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type Ledger, type MoveOptions, signedText } from 'mempool-ledger';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnLedger } from '../../case/must.ts';
import { created, fund, move, totals, walletOf, whole } from '../../scenario/ledger.ts';

interface Signer {
  readonly signer: string;
  sign(text: string): string;
}

function ed25519(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const x = publicKey.export({ format: 'jwk' }).x ?? '';
  return {
    signer: `ed25519:${Buffer.from(x, 'base64url').toString('hex')}`,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('hex'),
  };
}

const half = 0xfffffffffffffffffffffffffffffffe_baaedce6af48a03bbfd25e8cd0364141n >> 1n;

function secp256k1(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const isOdd = ((Buffer.from(y, 'base64url').at(-1) ?? 0) & 1) === 1;
  return {
    signer: `secp256k1:${isOdd ? '03' : '02'}${Buffer.from(x, 'base64url').toString('hex')}`,
    sign: (text) => lowSigned(text, privateKey),
  };
}

/** A signature whose `s` is in the lower half, as verifiers want it. */
function lowSigned(text: string, key: KeyObject): string {
  for (;;) {
    const hex = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
    if (BigInt(`0x${hex.slice(64)}`) <= half) return hex;
  }
}

function signed(ledger: Ledger, { signer, sign: by }: Signer, call: MoveOptions): MoveOptions {
  return { ...call, signature: { signer, bytes: by(signedText({ ledger: ledger.name, ...call })) } };
}

async function locked(ledger: Ledger, key: Signer): Promise<void> {
  await fund(ledger, { b: 5n });
  await ledger.createWallet({ ...walletOf('a'), signer: key.signer });
  await created(ledger.transfer(move('in', '~vault', 'a', 10n)));
}

export const signingCases: readonly ConformanceCase[] = eachOnLedger({
  'W7/signed: what its key signed leaves a wallet; what comes in needs no signature': async (ledger) => {
    for (const [i, key] of [ed25519(), secp256k1()].entries()) {
      const id = `w${i}`;
      const { wallet } = await ledger.createWallet({ ...walletOf(id), signer: key.signer });
      assert.equal(wallet?.signer, key.signer);
      await created(ledger.transfer(move(`in${i}`, '~vault', id, 10n)));
      await created(ledger.transfer(signed(ledger, key, move(`out${i}`, id, '~vault', 4n))));
      await created(ledger.reserve(signed(ledger, key, move(`hold${i}`, id, '~vault', 4n))));
      await created(ledger.post({ id: `post${i}`, pendingId: `hold${i}` }));
      assert.deepEqual(await totals(ledger, id), [10n, 8n, 0n, 0n]);
    }
  },
  'W7/unsigned: without a right signature of that key nothing leaves, and nothing is recorded': async (ledger) => {
    const [key, other] = [ed25519(), ed25519()];
    await locked(ledger, key);
    const before = await whole(ledger);
    const call = move('t', 'a', 'b', 1n);
    const right = signed(ledger, key, call);
    const wrong = [
      call,
      signed(ledger, other, call),
      { ...call, signature: { signer: key.signer, bytes: '00'.repeat(64) } },
      { ...right, amount: 2n },
      { ...right, id: 't2' },
      { ...right, destination: '~vault' },
      signed({ ...ledger, name: 'another' } as Ledger, key, call),
    ];
    for (const one of wrong) {
      const refused = { outcome: 'signature_invalid', transfer: null, replayed: false };
      assert.deepEqual([await ledger.transfer(one), await ledger.reserve(one)], [refused, refused]);
    }
    assert.deepEqual(await whole(ledger), before);
    await created(ledger.transfer(right));
  },
  'W7/repeated: a repeat is answered from its record, without a signature too': async (ledger) => {
    const key = ed25519();
    await locked(ledger, key);
    const call = move('t', 'a', 'b', 1n);
    const first = await ledger.transfer(signed(ledger, key, call));
    assert.deepEqual(await ledger.transfer(call), { ...first, replayed: true });
  },
});
