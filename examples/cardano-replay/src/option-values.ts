/** Command lines as people type them, where `parseArgs` is too careful to tell what is wrong. */
import type { ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * The arguments with each value that begins with a dash tied to its option (`--kills -1` becomes `--kills=-1`), so that it is
 * judged as a value. What is itself an option is none.
 */
export function tieValues(args: readonly string[], options: Options): string[] {
  const tied: string[] = [];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1]?.slice(2) ?? '';
    const takesIt =
      args[index - 1]?.startsWith('--') && options[before]?.type === 'string' && !args.slice(0, index).includes('--');
    if (takesIt && /^-./.test(arg) && !isOption(arg, options)) tied[tied.length - 1] += `=${arg}`;
    else tied.push(arg);
  }
  return tied;
}

/** What `parseArgs` says is wrong, in one sentence. */
export function faultIn(error: unknown): string {
  const [sentence = ''] = error instanceof Error ? error.message.split(/[.\n]\s?/) : [];
  return sentence.replace(/^Option '(--[a-z-]+).*' argument (?:missing|is ambiguous)$/, '$1 needs a value');
}

function isOption(arg: string, options: Options): boolean {
  const [name = ''] = arg.split('=');
  return Object.entries(options).some(([long, { short }]) => name === `--${long}` || name === `-${short}`);
}
