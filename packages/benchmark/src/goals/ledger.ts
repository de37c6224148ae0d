import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Ledger } from 'mempool-ledger';
import type { BenchContext } from '../setup/context.ts';
import { type LedgerSubject, loadLedger } from '../setup/subject.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const currency = 'COIN';
/** What the callers of a busy service are taken for. */
const callers = 64;
const wallets = 1_000;
/** A batch of the fillers. */
const each = 500;
/** Transfers of a round. */
const count = 6_400;

/** Transfers of many callers at once, against bare scripts; in a file against one caller, since callers share a sync of the disk. */
export async function ledgerGoal(name: 'sqlite' | 'redis', context: BenchContext): Promise<Measure> {
  const subject = await loadLedger(name);
  const redis = context.redis?.client ?? null;
  const ledger = new FilledLedger(subject);
  const [title, least, limit, transfers] =
    redis === null
      ? ([
          `by one caller ÷ by ${callers} at once, synchronous = FULL`,
          5,
          () => ledger.transfersMs(callers, 1),
          callers,
        ] as const)
      : ([
          `a bare script of the same keys and bytes ÷ ${callers} callers`,
          0.4,
          () => bareTransfers(redis),
          count,
        ] as const);
  return {
    ...head(subject, `ledger: transfers, ${title}`, ['at least', least], '×', 7),
    prepare: () => ledger.fill(),
    sample: (round) => inTurn(round, limit, () => ledger.transfersMs(transfers)),
    end: () => ledger.close(),
  };
}

function walletName(n: number): string {
  return `wallet-${n}`;
}

/** Two different wallets for the `n`th transfer, spread over all of them. */
function pairOf(n: number): [source: string, destination: string] {
  const source = (n * 7919) % wallets;
  return [walletName(source), walletName((source + 1 + (n % (wallets - 1))) % wallets)];
}

/** A ledger of its own with wallets, each with one transfer in it. */
class FilledLedger {
  readonly #subject: LedgerSubject;
  readonly #name = randomUUID();
  #ledger: Ledger | null = null;
  #made = 0;

  constructor(subject: LedgerSubject) {
    this.#subject = subject;
  }

  /** Makes the wallets, with money out of the vault for each. */
  async fill(): Promise<void> {
    const ledger = await this.#subject.ledger({ name: this.#name, currency });
    this.#ledger = ledger;
    for (let from = 0; from < wallets; from += each) {
      const ids = Array.from({ length: Math.min(each, wallets - from) }, (_, n) => walletName(from + n));
      await Promise.all(ids.map((id) => ledger.createWallet({ id, owner: `owner of ${id}`, currency })));
      const money = { kind: 'transfer', source: '~vault', amount: 1_000_000n, currency } as const;
      await ledger.batch(ids.map((destination) => ({ ...money, id: randomUUID(), destination })));
    }
  }

  /** Milliseconds that so many transfers take, by callers of which each waits for its answer. */
  transfersMs(wanted: number, at: number = callers): Promise<number> {
    let left = wanted;
    const caller = async () => {
      for (; left > 0; await this.#transfer()) left -= 1;
    };
    return timed(() => Promise.all(Array.from({ length: at }, caller)));
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
    await this.#subject.destroy?.(this.#name);
  }

  async #transfer(): Promise<void> {
    this.#made += 1;
    const [source, destination] = pairOf(this.#made);
    const answer = await this.#ledger?.transfer({ id: randomUUID(), source, destination, amount: 1n, currency });
    if (answer?.outcome !== 'created') throw new Error(`a transfer was refused: ${answer?.outcome}`);
  }
}

/** Reads and writes what a ledger's script does for as many transfers, and asks nothing. */
const bareScript = `
local ids, wallets, chunks, log, meta = unpack(KEYS)
local names, moved, parts = {}, {}, {}
for at = 2, #ARGV, 7 do
  names[#names + 1] = ARGV[at]
  for i = 0, 1 do
    moved[#moved + 1], moved[#moved + 2] = ARGV[at + 1 + i], ARGV[at + 4]
    parts[#parts + 1], parts[#parts + 2] = ARGV[at + 1 + i] .. ':0', ARGV[at + 5]
  end
end
redis.call('HMGET', meta, 'format', 'seq', 'at', 'digest', 'first', 'before', 'ids', 'wallets')
redis.call('HMGET', ids, unpack(names))
redis.call('HMGET', wallets, unpack(moved))
redis.call('HMGET', chunks, unpack(parts))
local known, seq = {}, tonumber(ARGV[1])
for at = 2, #ARGV, 7 do
  seq = seq + 1
  known[#known + 1], known[#known + 2] = ARGV[at], 'd' .. seq
  redis.call('XADD', log, seq .. '-0', 'at', '1700000000000', 'type', 'transfer', 'id', ARGV[at], 'content', ARGV[at + 3],
    'result', 'created', 'digest', ARGV[at + 6])
end
redis.call('HSET', ids, unpack(known))
redis.call('HSET', wallets, unpack(moved))
redis.call('HSET', chunks, unpack(parts))
redis.call('HSET', meta, 'seq', seq, 'at', '1700000000000', 'digest', ARGV[8], 'ids', seq)
return known`;
const bareSha = createHash('sha1').update(bareScript).digest('hex');

/** Milliseconds of bare scripts that write as much as the transfers, with as many in each as there are callers. */
async function bareTransfers(redis: Redis): Promise<number> {
  await redis.script('LOAD', bareScript);
  const name = `bare-${randomUUID()}`;
  const keys = ['ids', 'wallets', 'chunks', 'log', 'meta'].map((key) => `{${name}}:${key}`);
  const [balance, chunk] = [Buffer.alloc(54, 1), Buffer.alloc(192, 1)];
  return timed(async () => {
    for (let seq = 0; seq < count; seq += callers) {
      const args: (string | Buffer)[] = [String(seq)];
      for (let n = 0; n < callers; n += 1) {
        const [source, destination] = pairOf(seq + n);
        const content = JSON.stringify(['transfer', source, destination, '1', currency, '', [], null, null]);
        args.push(randomUUID(), source, destination, content, balance, chunk, 'd'.repeat(40));
      }
      await redis.evalsha(bareSha, keys.length, ...keys, ...args);
    }
  });
}
