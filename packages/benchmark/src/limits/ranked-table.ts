import type { Statement } from 'better-sqlite3';
import type { Priced } from '../workloads/ranked-sample.ts';
import { BareFile } from './file.ts';
import { hashBytes } from './hash-bytes.ts';
import type { BareRanking, RankingLimit } from './ranking.ts';

const layout = `
  CREATE TABLE tx (seq INTEGER PRIMARY KEY, hash BLOB UNIQUE, stage INTEGER, payload BLOB, priority INTEGER);
  CREATE INDEX tx_priority ON tx (priority);
`;

/** The bare table with an index of priorities. */
class BareRankedTable implements BareRanking {
  readonly #file: BareFile;
  readonly #insert: Statement;
  readonly #evict: Statement;

  constructor(folder: string) {
    this.#file = new BareFile(folder, layout);
    this.#insert = this.#file.prepare('INSERT INTO tx (hash, stage, payload, priority) VALUES (?, 0, ?, ?)');
    this.#evict = this.#file.prepare('DELETE FROM tx WHERE seq = (SELECT seq FROM tx ORDER BY priority LIMIT 1)');
  }

  fill(transactions: readonly Priced[]): void {
    this.#file.write(() => this.#insertAll(transactions));
  }

  admit(newcomers: readonly Priced[]): void {
    this.#file.write(() => {
      this.#insertAll(newcomers);
      for (let left = newcomers.length; left > 0; left--) this.#evict.run();
    });
  }

  close(): void {
    this.#file.remove();
  }

  #insertAll(transactions: readonly Priced[]): void {
    for (const { hash, payload, verdict } of transactions) this.#insert.run(hashBytes(hash), payload, verdict.priority);
  }
}

export function tableRanking(folder: string): RankingLimit {
  return { name: 'bare better-sqlite3, indexed', open: async () => new BareRankedTable(folder) };
}
