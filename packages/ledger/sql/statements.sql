-- The statements of ledgers, by name. Those of file/statements.sql are used too.

-- :head
SELECT seq, at, digest FROM record ORDER BY seq DESC LIMIT 1
-- :base
SELECT base_seq AS seq, base_at AS at, base_digest AS digest FROM ledger
-- :setBase
UPDATE ledger SET base_seq = ?, base_at = ?, base_digest = ?

-- :addRecord
INSERT INTO record (seq, at, type, state, digest, id, result, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
-- :records
SELECT seq, at, type, state, digest, id, result, content FROM record WHERE seq > ? ORDER BY seq LIMIT ?
-- :transfer
SELECT seq, at, type, state, digest, id, result, content FROM record WHERE type = 3 AND id = ?
-- :resolve
UPDATE record SET state = ? WHERE seq = ? AND state = 1
-- :removeRecord
DELETE FROM record WHERE seq = ?

-- :addHistory
INSERT INTO history (wallet, seq) VALUES (?, ?)
-- :transfers
SELECT record.seq, at, type, state, digest, id, result, content FROM history JOIN record USING (seq)
WHERE history.wallet = (SELECT seq FROM wallet WHERE id = ?) AND history.seq > ? ORDER BY history.seq LIMIT ?
-- :removeHistory
DELETE FROM history WHERE wallet = (SELECT seq FROM wallet WHERE id = ?) AND seq = ?

-- :addDue
INSERT INTO due (expires, seq) VALUES (?, ?)
-- :due
SELECT record.id FROM due JOIN record USING (seq) WHERE expires <= ? ORDER BY expires, due.seq LIMIT ?
-- :removeDue
DELETE FROM due WHERE expires = ? AND seq = ?

-- :wallet
SELECT seq, version, debits_posted AS debitsPosted, credits_posted AS creditsPosted, debits_pending AS debitsPending,
  credits_pending AS creditsPending, closed, created_at AS createdAt, id, tags, content
FROM wallet WHERE id = ?
-- :walletBySeq
SELECT seq, version, debits_posted AS debitsPosted, credits_posted AS creditsPosted, debits_pending AS debitsPending,
  credits_pending AS creditsPending, closed, created_at AS createdAt, id, tags, content
FROM wallet WHERE seq = ?
-- :walletContent
SELECT content FROM wallet WHERE id = ?
-- :addWallet
INSERT INTO wallet (seq, version, debits_posted, credits_posted, debits_pending, credits_pending, overdraft, closed, created_at, id,
  owner, tags, content)
VALUES (@seq, @version, @debitsPosted, @creditsPosted, @debitsPending, @creditsPending, @overdraft, @closed, @createdAt, @id,
  @owner, @tags, @content)
-- :changeWallet
UPDATE wallet SET version = ?, debits_posted = ?, credits_posted = ?, debits_pending = ?, credits_pending = ?, closed = ? WHERE seq = ?
-- :setTags
UPDATE wallet SET tags = ? WHERE seq = ?
-- :addTag
INSERT INTO tag (tag, wallet) VALUES (?, ?)
-- :removeTags
DELETE FROM tag WHERE wallet = ? AND tag IN (SELECT value FROM json_each((SELECT tags FROM wallet WHERE seq = ?)))

-- The first wallet from one on: of all, of an owner, with a tag.
-- :nextWallet
SELECT min(seq) AS seq FROM wallet WHERE seq >= ?
-- :nextOwned
SELECT min(seq) AS seq FROM wallet WHERE owner = ? AND seq >= ?
-- :nextTagged
SELECT min(wallet) AS seq FROM tag WHERE tag = ? AND wallet >= ?

-- :refusals
SELECT count FROM refusal WHERE owner = ?
-- :setRefusals
INSERT INTO refusal (owner, count) VALUES (?, ?) ON CONFLICT (owner) DO UPDATE SET count = excluded.count

-- :opening
SELECT wallet, debits_posted AS debitsPosted, credits_posted AS creditsPosted, debits_pending AS debitsPending,
  credits_pending AS creditsPending FROM opening WHERE wallet = ?
-- :openings
SELECT wallet, debits_posted AS debitsPosted, credits_posted AS creditsPosted, debits_pending AS debitsPending,
  credits_pending AS creditsPending FROM opening WHERE wallet > ? ORDER BY wallet LIMIT ?
-- :setOpening
INSERT OR REPLACE INTO opening (wallet, debits_posted, credits_posted, debits_pending, credits_pending) VALUES (?, ?, ?, ?, ?)

-- :mark
SELECT text FROM mark WHERE coupling = ? AND hash = ?
-- :marks
SELECT hash, text FROM mark WHERE coupling = ? AND hash > ? ORDER BY hash LIMIT ?
-- :setMark
INSERT INTO mark (coupling, hash, text) VALUES (?, ?, ?) ON CONFLICT (coupling, hash) DO UPDATE SET text = excluded.text
-- :removeMark
DELETE FROM mark WHERE coupling = ? AND hash = ?
