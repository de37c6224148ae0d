// Installs the archives with npm in a folder outside the tree and runs a small program and the suite on each Node that is supported.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, run } from './pack.ts';

const supported = ['22', '24'] as const;
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

function emptyProject(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  return folder;
}

function installNode(folder: string, version: string): string {
  run('npm', ['install', ...quiet, `node@${version}`], emptyProject(folder));
  return join(folder, 'node_modules', '.bin', 'node');
}

const folder = mkdtempSync(join(tmpdir(), 'mempool-packed-'));
try {
  const archives = pack(join(folder, 'archives'));
  const project = join(folder, 'project');
  cpSync(join(import.meta.dirname, 'packed'), project, { recursive: true });
  run('npm', ['install', ...quiet, ...archives], project);
  for (const version of supported) {
    const node = installNode(join(folder, `node-${version}`), version);
    run(node, ['program.mjs'], project);
    run(node, ['node_modules/mempool-conformance/dist/cli.js', 'subject.mjs'], project);
  }
} finally {
  rmSync(folder, { recursive: true });
}
