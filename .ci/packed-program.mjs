// What a user of the packages writes first: it must run on every Node that is supported, from the archives alone.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';
