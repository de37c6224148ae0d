// Looks at the archives as they would be uploaded: entry points, files, types.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, run } from './pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'mempool-pack-'));
try {
  for (const archive of pack(folder)) {
    run('publint', ['run', archive, '--strict']);
    run('attw', [archive, '--profile', 'esm-only', '--no-emoji']);
  }
} finally {
  rmSync(folder, { recursive: true });
}
