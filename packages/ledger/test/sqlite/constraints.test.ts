import { join } from 'node:path';
import { StepBuilder, type Wallet, walletText } from 'mempool-ledger/backend';
import { openDatabase } from 'mempool-sqlite/backend';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { FileView } from '../../src/sqlite/file-view.ts';
import { LedgerFile, ledgerKind, prepareLedger } from '../../src/sqlite/ledger-file.ts';
import { writeStep } from '../../src/sqlite/step-writer.ts';

function newFile(): LedgerFile {
  const path = join(scratchFolder(), 'ledger.db');
  const how = { kind: ledgerKind, path, lockingMode: 'NORMAL', synchronous: 'NORMAL', create: true } as const;
  const file = openDatabase(
    how,
    (database) => prepareLedger(database, path, 'main'),
    (database) => new LedgerFile(database),
  );
  onTestFinished(() => file.close());
  return file;
}

/** Works out a step by this rule, whatever it does, and writes it. */
function apply(file: LedgerFile, rule: (step: StepBuilder) => void): void {
  file.atomically('beginWrite', () => {
    const step = new StepBuilder(new FileView(file), 1);
    rule(step);
    writeStep(file, step.build());
  });
}

const none = { debitsPosted: 0n, creditsPosted: 0n, debitsPending: 0n, creditsPending: 0n };
const spec = { owner: 'alice', tags: [], currency: 'ADA', overdraft: false, signer: null, closed: false };
const most = 2n ** 63n - 1n;

function addWallet(step: StepBuilder): void {
  const { seq, at } = step.append({
    type: 'wallet',
    id: 'alice',
    content: walletText({ ...spec, id: 'alice' }),
    result: '',
  });
  step.putWallet({ ...spec, ...none, id: 'alice', createdAt: at, createdSeq: seq, version: seq });
}

/** Rules that make a record and give the wallet totals that no rule may. */
const broken: Readonly<Record<string, Partial<Wallet>>> = {
  'spends what is not there': { creditsPosted: 5n, debitsPosted: 6n },
  'reserves what is not there': { creditsPosted: 5n, debitsPosted: 3n, debitsPending: 3n },
  'posts less than nothing': { creditsPosted: -1n, debitsPosted: -1n },
  'releases more than was reserved': { debitsPending: -1n },
  'lets credits overflow': { creditsPosted: most, creditsPending: 1n },
  'lets debits overflow': { creditsPosted: most, debitsPosted: most, debitsPending: 1n },
};

test.each(Object.entries(broken))('a rule that %s is refused by the tables, with nothing written', (_, totals) => {
  const file = newFile();
  apply(file, addWallet);
  const change = (given: Partial<Wallet>) => (step: StepBuilder) => {
    const wallet = step.wallet('alice');
    step.append({ type: 'close', id: 'alice', content: '', result: '' });
    if (wallet !== null) step.putWallet({ ...wallet, ...given });
  };
  expect(() => apply(file, change(totals))).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }));
  expect(new FileView(file).head.seq).toBe(1);
  expect(new FileView(file).wallet('alice')).toMatchObject(none);
  apply(file, change({ creditsPosted: most, debitsPosted: most - 1n, debitsPending: 1n }));
  expect(new FileView(file).wallet('alice')).toMatchObject({ debitsPosted: most - 1n, version: 2 });
});

test('a rule that records an id twice is refused by the tables', () => {
  const file = newFile();
  const content = '["transfer","","","1","ADA","",[],null,null]';
  const record = (step: StepBuilder) => step.append({ type: 'transfer', id: 'same', content, result: 'overflow\n' });
  apply(file, record);
  expect(() => apply(file, record)).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }));
  expect(new FileView(file).head.seq).toBe(1);
});
