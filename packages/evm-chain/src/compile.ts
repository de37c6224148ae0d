import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installed } from './installed.ts';

const version = '0.8.28';

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<string, Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>
  >;
}

/**
 * The bytecode of a contract, as hex with `0x`, from its source in Solidity. The result is kept: the compiler needs a second.
 * @throws Error with the compiler's messages
 */
export function compile(path: string | URL, contract: string): `0x${string}` {
  const content = readFileSync(path, 'utf8');
  const folder = join(installed('solc', version), 'compiled');
  const kept = join(folder, createHash('sha256').update(`${contract}\n${content}`).digest('hex'));
  if (existsSync(kept)) return readFileSync(kept, 'utf8') as `0x${string}`;
  const bytecode = compiled(content, contract);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${kept}-${process.pid}`, bytecode);
  renameSync(`${kept}-${process.pid}`, kept);
  return bytecode;
}

function compiled(content: string, contract: string): `0x${string}` {
  const solc: { compile(input: string): string } = createRequire(join(installed('solc', version), 'package.json'))(
    'solc',
  );
  const input = {
    language: 'Solidity',
    sources: { source: { content } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const found = contracts?.source?.[contract]?.evm.bytecode.object;
  if (found === undefined || errors.some(({ severity }) => severity === 'error'))
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return `0x${found}`;
}
