// Loaded by every process that a test starts: runs the bundle of a program in its place, see `bundled-programs.ts`.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const changesModules = process.execArgv.some((option) => option.startsWith('--import'));
const bundles = JSON.parse(readFileSync(new URL('../.data/programs/programs.json', import.meta.url), 'utf8'));

function resolve(specifier, context, next) {
  const [address, search] = specifier.split('?');
  const url = bundles[address];
  if (url === undefined) return next(specifier, context);
  return { url: search === undefined ? url : `${url}?${search}`, format: 'module', shortCircuit: true };
}

if (!changesModules) registerHooks({ resolve });
