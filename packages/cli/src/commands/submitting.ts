import { open, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import type { ReceiveOutcome } from 'mempool-core';
import { openTargetOrMake } from '../target/open-target.ts';
import type { Told } from '../target/target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { plain, type Terminal } from '../terminal/terminal.ts';
import { type Begin, onTarget, operationId, transactionHash, wholeNumber } from './command.ts';

interface SubmitOptions {
  readonly hash?: string;
  readonly type?: number;
  readonly operationId?: string;
}

/** Adds `submit`. */
export function addSubmitting(program: Command, begin: Begin): void {
  program
    .command('submit')
    .description('submit transactions, each from a file, from standard input (-), or given as hex')
    .argument('<file|-|hex...>', 'the bytes of each transaction')
    .option('--hash <hash>', 'its hash; default: worked out from its bytes', transactionHash)
    .option('--type <number>', 'its payload type', wholeNumber(0))
    .option(...operationId)
    .action((given: string[], options: SubmitOptions) => submit(begin, given, options));
}

/** Everything is read before anything is submitted. */
async function submit(begin: Begin, given: readonly string[], options: SubmitOptions): Promise<void> {
  const { hash = null, type, operationId } = options;
  if (given.length > 1 && (hash !== null || operationId !== undefined))
    throw new Failure(exitCodes.usage, '--hash and --operation-id belong to one transaction');
  const session = begin();
  const payloads: Uint8Array[] = [];
  for (const each of given) payloads.push(await payloadOf(each, session.terminal));
  await onTarget(
    session,
    async (target, terminal) => {
      let refused = 0;
      for (const payload of payloads) {
        const { signal } = terminal;
        const outcome = await target.submit({ hash, payload, payloadType: type }, { operationId, signal });
        await terminal.answer(outcome, (style) => outcomeText(outcome, style));
        if (!accepted(outcome)) refused += 1;
      }
      if (refused > 0) throw new Failure(exitCodes.refused, `refused: ${refused} of ${payloads.length}`);
    },
    openTargetOrMake,
  );
}

function accepted({ kind }: Told<ReceiveOutcome>): boolean {
  return kind === 'received' || kind === 'duplicate';
}

function outcomeText(outcome: Told<ReceiveOutcome>, style: Terminal['style']): string {
  const { kind, hash, ...rest } = outcome;
  return [hash, style(accepted(outcome) ? 'green' : 'red', kind), ...detailsOf(rest)].join('  ');
}

function detailsOf(rest: object): string[] {
  return Object.entries(rest).map(([name, value]) => `${name} ${plain(text(value))}`);
}

function text(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** More than any server takes. */
const maxPayloadBytes = 64 * 2 ** 20;

async function payloadOf(given: string, terminal: Terminal): Promise<Uint8Array> {
  if (given === '-') return nonEmpty(await readAll(terminal.stdin, 'standard input'), 'standard input');
  const isFile = await stat(given).then(
    () => true,
    () => false,
  );
  const isHex = /^(?:0x)?(?:[0-9a-f]{2})+$/i.test(given);
  if (isFile && isHex)
    throw new Failure(exitCodes.usage, `${given} is hex and the name of a file: write ./${given} for the file`);
  if (isHex) return Buffer.from(given.replace(/^0x/i, ''), 'hex');
  if (!isFile) throw new Failure(exitCodes.notFound, `${plain(given)} is no file and no hex`);
  return nonEmpty(await bytesIn(given), given);
}

async function bytesIn(path: string): Promise<Buffer> {
  const file = await open(path);
  return readAll(file.createReadStream(), path);
}

async function readAll(stream: AsyncIterable<Uint8Array | string>, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    bytes += chunk.length;
    if (bytes > maxPayloadBytes) throw new Failure(exitCodes.usage, `${plain(name)} has more than 64 MiB`);
  }
  return Buffer.concat(chunks);
}

function nonEmpty(bytes: Buffer, name: string): Buffer {
  if (bytes.length === 0) throw new Failure(exitCodes.usage, `${plain(name)} is empty`);
  return bytes;
}
