import { type Submission, submissionDigest } from 'mempool-sequencer';
import {
  domainOf,
  type SubmissionDomain,
  signerOf,
  signSubmission,
  slotVerifier,
  verifyBy,
} from 'mempool-sequencer/evm';
import { hashTypedData, recoverTypedDataAddress, verifyTypedData } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { expect, test } from 'vitest';
import { keyOf } from './cast.ts';

const here: SubmissionDomain = { chainId: 31_337, contract: `0x${'c0'.repeat(20)}`, name: 'protocol:market' };
const key = keyOf(7);
const { address } = signerOf(key);
const slotAddresses = new Map([
  [3, address],
  [4, address],
  [5, signerOf(keyOf(8)).address],
]);
const unsigned = { epoch: 12, slot: 3, project: 'btc', cid: 'bafy1' };

const signedBy = (given: Omit<Submission, 'signature'>, at = here, privateKey: string = key): Submission => ({
  ...given,
  signature: signSubmission(given, { domain: domainOf(at), privateKey }),
});
const isRight = (submission: Submission, at = here, addresses: ReadonlyMap<number, string> = slotAddresses): boolean =>
  slotVerifier(addresses)({ ...submission, digest: submissionDigest({ ...submission, domain: domainOf(at) }) });

/** The same in viem's words. */
function typed({ chainId, contract, name }: SubmissionDomain, { epoch, slot, project, cid }: typeof unsigned) {
  const fields = [
    { name: 'epoch', type: 'uint64' },
    { name: 'slot', type: 'uint64' },
    { name: 'project', type: 'string' },
    { name: 'cid', type: 'string' },
  ] as const;
  return {
    domain: { name, chainId, verifyingContract: contract as `0x${string}` },
    types: { Submission: fields },
    primaryType: 'Submission',
    message: { epoch: BigInt(epoch), slot: BigInt(slot), project, cid },
  } as const;
}

test('a submission is signed and checked as viem does it', async () => {
  for (let i = 1; i <= 50; i += 1) {
    const at = { chainId: 1 + i ** 5, contract: signerOf(keyOf(100 + i)).address, name: `protocol-${i}:märket` };
    const given = { epoch: 2 ** 40 + i, slot: i, project: `project/${'x'.repeat(i)}`, cid: `cid-${i * 31}` };
    const privateKey = keyOf(i * 7_919);
    const data = typed(at, given);
    const { signature } = signedBy(given, at, privateKey);
    const account = privateKeyToAccount(privateKey);
    expect(signature).toBe(await account.signTypedData(data));
    expect(await recoverTypedDataAddress({ ...data, signature: signature as `0x${string}` })).toBe(account.address);
    const addresses = new Map([[i, account.address.toLowerCase()]]);
    expect(isRight({ ...given, signature }, at, addresses)).toBe(true);
    expect(await verifyTypedData({ ...data, address: account.address, signature: signature as `0x${string}` })).toBe(
      true,
    );
  }
});

const elsewhere: Readonly<Record<string, readonly [Submission, SubmissionDomain]>> = {
  'another chain': [signedBy(unsigned), { ...here, chainId: 1 }],
  'another contract': [signedBy(unsigned), { ...here, contract: `0x${'c1'.repeat(20)}` }],
  'another market': [signedBy(unsigned), { ...here, name: 'protocol:other' }],
  'another epoch': [{ ...signedBy(unsigned), epoch: 13 }, here],
  'another slot, even of the same signer': [{ ...signedBy(unsigned), slot: 4 }, here],
  'another project': [{ ...signedBy(unsigned), project: 'eth' }, here],
  'another content': [{ ...signedBy(unsigned), cid: 'bafy2' }, here],
};

test.each(Object.entries(elsewhere))('a signature is worth nothing for %s', (_, [submission, at]) => {
  expect(isRight(signedBy(unsigned))).toBe(true);
  expect(isRight(submission, at)).toBe(false);
});

test('only the signature of the slot counts, in its one form', () => {
  const right = signedBy(unsigned);
  const { signature } = right;
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const otherS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  const otherV = signature.endsWith('1b') ? '1c' : '1b';
  const wrong = {
    "another slot's": signedBy(unsigned, here, keyOf(8)).signature,
    'the other of the two forms': `${signature.slice(0, 66)}${otherS}${otherV}`,
    'v of 0 or 1': `${signature.slice(0, 130)}0${signature.endsWith('1b') ? '0' : '1'}`,
    'without 0x': signature.slice(2),
    'in upper case': signature.toUpperCase().replace('X', 'x'),
    'too long': `${signature}00`,
    zero: `0x${'00'.repeat(64)}1b`,
    'no hex': 'no signature',
    empty: '',
  };
  for (const [what, each] of Object.entries(wrong)) expect(isRight({ ...right, signature: each }), what).toBe(false);
  expect(isRight({ ...right, slot: 99 })).toBe(false);
  expect(isRight(signedBy({ ...unsigned, slot: 5 }, here, keyOf(8)))).toBe(true);
});

test("a signer's digest is signed as viem signs it, and checked by its address", async () => {
  for (let i = 1; i <= 20; i += 1) {
    const signer = signerOf(keyOf(i));
    const digest = hashTypedData(typed(here, { ...unsigned, epoch: i })).slice(2);
    const signature = signer.sign(digest);
    expect(signature).toBe(await sign({ hash: `0x${digest}`, privateKey: keyOf(i), to: 'hex' }));
    expect(verifyBy(signer.address)(digest, signature)).toBe(true);
    expect(verifyBy(signerOf(keyOf(i + 1)).address)(digest, signature)).toBe(false);
    expect(
      verifyBy(signer.address)(
        digest.replace(/^./, (c) => (c === '0' ? '1' : '0')),
        signature,
      ),
    ).toBe(false);
    expect(verifyBy(signer.address)('not a digest', signature)).toBe(false);
  }
});
