-- The statement on leases that pools and elections both use.

-- :lease
SELECT term, node_id AS nodeId, token, seq, hb_seq AS hbSeq, hb_at AS hbAtMs, address, priority, ttl AS ttlMs,
  expires AS expiresMs, clock, holds_lock AS holdsLock
FROM lease WHERE name = ?
