/** Command lines as people type them, where `parseArgs` does not say clearly what is wrong. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Does the same as `parseArgs` with positionals, but a value may begin with a dash, so that `--kills -1` is parsed as a value.
 *
 * @throws Error with one sentence about the wrong option
 */
export function readOptions<O extends Options>(
  args: readonly string[],
  options: O,
): ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true }>> {
  try {
    return parseArgs({ args: tieValues(args, options), options, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = error instanceof Error ? error.message.split(/[.\n]\s?/) : [];
    throw new Error(sentence.replace(/^Option '(--[a-z-]+).*' argument (?:missing|is ambiguous)$/, '$1 needs a value'));
  }
}

/** The arguments with each value that begins with a dash tied to its option. What is itself an option is no value. */
function tieValues(args: readonly string[], options: Options): string[] {
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

function isOption(arg: string, options: Options): boolean {
  const [name = ''] = arg.split('=');
  return Object.entries(options).some(([long, { short }]) => name === `--${long}` || name === `-${short}`);
}
