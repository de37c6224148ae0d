import { Command, CommanderError } from 'commander';
import type { AddCommands, Session } from './commands/command.ts';
import { addConfiguring } from './commands/configuring.ts';
import { addKeeping } from './commands/keeping.ts';
import { addLedger } from './commands/ledger.ts';
import { addOperating } from './commands/operating.ts';
import { addReading } from './commands/reading.ts';
import { addServing } from './commands/serving.ts';
import { addSubmitting } from './commands/submitting.ts';
import { addTransferring } from './commands/transferring.ts';
import { addWatching } from './commands/watching.ts';
import type { Place } from './target/open-target.ts';
import { type ExitCode, exitCodes } from './terminal/exit-code.ts';
import { type Ending, failureOf } from './terminal/failure-of.ts';
import { asJson, plain, type Surroundings, Terminal } from './terminal/terminal.ts';
import { version } from './version.ts';

const commands: readonly AddCommands[] = [
  addServing,
  addSubmitting,
  addReading,
  addWatching,
  addOperating,
  addTransferring,
  addLedger,
  addKeeping,
  addConfiguring,
];

interface GlobalOptions extends Place {
  readonly json?: boolean;
  readonly color: boolean;
}

/** Runs one command. Returns its exit code; never rejects. */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<ExitCode> {
  const isJson = args.includes('--json');
  const program = programOf(around, isJson ? () => undefined : (text) => void around.stderr.write(text));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return ended(error, isJson, around);
  }
}

/** @param complain told what is wrong with the arguments, in words for people */
function programOf(around: Surroundings, complain: (text: string) => void): Command {
  const program = new Command('mempool')
    .description('Runs a mempool as a service, and reads, changes, moves and checks any pool.')
    .version(version, '-V, --version', 'print the version')
    .option('-c, --config <file>', 'work on the store of this configuration (or MEMPOOL_CONFIG)')
    .option('--url <url>', 'work on the pool of this server (or MEMPOOL_URL)')
    .option('--token-file <file>', 'a file with the token for the server (or MEMPOOL_TOKEN)')
    .option('--json', 'print JSON: one line for each answer')
    .option('--no-color', 'print no colours (or NO_COLOR)')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', exitCodeHelp)
    .showHelpAfterError('(--help shows all commands and options)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void around.stdout.write(text),
      writeErr: complain,
    });
  const begin = (): Session => {
    const { json = false, color, ...place } = program.opts<GlobalOptions>();
    return { terminal: new Terminal(around, { json, color }), place };
  };
  for (const add of commands) add(program, begin);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

const exitCodeHelp = `
Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration, 3 not found,
4 refused by the pool or the server, 75 try again later, 130 interrupted.`;

/** Says what went wrong, in one line. */
function ended(error: unknown, isJson: boolean, around: Surroundings): ExitCode {
  const isUsage = error instanceof CommanderError;
  if (isUsage && error.exitCode === 0) return exitCodes.ok;
  if (!isUsage && around.signal.aborted) return exitCodes.interrupted;
  const { exitCode, message, code } = isUsage ? wrongUsage(error) : failureOf(error);
  if (isJson) around.stderr.write(`${asJson({ error: message, code, exitCode })}\n`);
  else if (!isUsage) around.stderr.write(`mempool: ${plain(message)}\n`);
  return exitCode;
}

/** Commander itself has told people. */
function wrongUsage({ code, message }: CommanderError): Ending {
  const said = code === 'commander.help' ? 'no command is given' : message.replace(/^error: /, '');
  return { exitCode: exitCodes.usage, message: said, code: null };
}
