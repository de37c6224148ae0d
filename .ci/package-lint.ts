// Looks at the archives as they would be uploaded: entry points, files, types.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, passes } from './pack.ts';

function isSound(archive: string): boolean {
  const linted = passes('publint', ['run', archive, '--strict']);
  return passes('attw', [archive, '--profile', 'esm-only', '--no-emoji']) && linted;
}

const folder = mkdtempSync(join(tmpdir(), 'mempool-pack-'));
try {
  const unsound = pack(folder).filter((archive) => !isSound(archive));
  process.exitCode = unsound.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
