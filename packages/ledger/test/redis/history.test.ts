import { randomUUID } from 'node:crypto';
import { type Ledger, memoryLedger, openLedger, type TransferCall } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';
import { Random, seed } from 'mempool-testkit';
import { expect, inject, onTestFinished, test } from 'vitest';

const wallets = ['vault', 'a', 'b', 'ü{}', 'c:d', 'unknown', '__proto__'] as const;
const most = 2n ** 63n - 1n;
const amounts = [1n, 1n, 2n, 5n, 2n ** 53n + 1n, 999_999_999n, 1_000_000_000n, 2n ** 61n, most] as const;
const tags = ['x', 'y', 'X', 'ü"\\', '\u{1F600}'] as const;

/** One random call, the same on every ledger. `made`: transfers called before. */
function nextCall(random: Random, calls: number, made: TransferCall[]): (ledger: Ledger) => Promise<unknown> {
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const wallet = () => pick(wallets);
  const some = <T>(list: readonly T[]) => list.filter(() => random.below(3) === 0);
  const past = () => `t${random.below(1 + made.length)}`;
  const call = (): TransferCall => {
    if (made.length > 0 && random.below(6) === 0) return random.pick(made);
    const one = newCall();
    made.push(one);
    return one;
  };
  const newCall = (): TransferCall => {
    const id = () => (random.below(20) === 0 ? past() : `t${made.length}`);
    const money = {
      source: pick(['vault', wallet()]),
      destination: wallet(),
      amount: pick(amounts),
      currency: random.below(12) === 0 ? 'D' : 'C',
    };
    const said = { description: pick(['', 'é "quoted"']), metadata: { [pick(['k', 'µ'])]: pick(['', '\n\\']) } };
    const pendingId = pick([past(), past(), `~${pick(['s', 'r'])}:${1 + random.below(20)}`]);
    switch (random.below(6)) {
      case 0:
        return { kind: 'post', id: id(), pendingId, amount: pick([undefined, undefined, 1n, 2n, most]), ...said };
      case 1:
        return { kind: 'void', id: id(), pendingId };
      case 2:
        return {
          kind: 'reserve',
          series: pick(['s', 'r']),
          after: pick([undefined, undefined, 0, 1, 20]),
          ...money,
          ...said,
        };
      case 3:
        return { kind: 'reserve', id: id(), ...money, ...said };
      default:
        return { kind: 'transfer', id: id(), ...money, ...said };
    }
  };
  switch (random.below(12)) {
    case 0: {
      const spec = { id: wallet(), owner: pick(['me', 'you']), tags: some(tags), currency: 'C' };
      return (ledger) => ledger.createWallet(spec);
    }
    case 1: {
      const [of, given] = [wallet(), some(tags)];
      return (ledger) => ledger.setTags(of, given);
    }
    case 2: {
      const [of, closes] = [pick(['b', 'c:d', 'unknown']), random.below(12) === 0];
      return (ledger) => (closes ? ledger.closeWallet(of) : ledger.wallet(of));
    }
    case 3: {
      const owner = pick([undefined, 'me', 'you', 'system']);
      const search = { owner, tags: some(tags), match: pick(['all', 'any'] as const), limit: 1 + random.below(4) };
      return (ledger) => ledger.wallets(search);
    }
    case 4: {
      const search = { wallet: wallet(), after: random.below(1 + calls), limit: 1 + random.below(80) };
      return (ledger) => ledger.transfers(search);
    }
    case 5: {
      const batch = Array.from({ length: random.below(12) }, call);
      const linked = random.below(2) === 0;
      return (ledger) => ledger.batch(batch, { linked });
    }
    default: {
      const one = call();
      return async (ledger) => (await ledger.batch([one]))[0];
    }
  }
}

/** Without times and what follows from them. */
function timeless(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeless);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !['at', 'createdAt', 'digest', 'expiresAt'].includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, timeless(field)]));
}

test(`a random history has the same answers as in memory, seed ${seed}`, async () => {
  const random = new Random(seed);
  const made: TransferCall[] = [];
  const options = { currency: 'C', maxRefusals: 300 };
  const ours = await openLedger(redisLedger, { ...options, name: randomUUID(), url: inject('redisUrl') });
  const model = await openLedger(memoryLedger, options);
  onTestFinished(() => ours.close());
  for (let calls = 0; calls < 600; calls += 1) {
    const call = nextCall(random, calls, made);
    expect(timeless(await call(ours)), `call ${calls}`).toEqual(timeless(await call(model)));
  }
  const all = async (ledger: Ledger) => {
    const records = [];
    for (let after = 0; ; ) {
      const page = await ledger.records(after);
      records.push(...page);
      if (page.length === 0) return timeless(records);
      after = page.at(-1)?.seq ?? after;
    }
  };
  expect(await all(ours)).toEqual(await all(model));
  expect(await ours.audit()).toMatchObject({ ok: true, faults: [] });
});
