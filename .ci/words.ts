// Counts habits of language in comments, documentation and error messages, and fails above a limit per 1,000 words. `--all` prints each.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from './pack.ts';

/** The most habits in 1,000 words. It only goes down; the aim is 2. */
const limit = 6.5;

/** Each habit, and the words to use instead. */
const habits: Readonly<Record<string, readonly [habit: RegExp, instead: string]>> = {
  what: [/\bwhat\b(?![^.]*\?)/gi, 'the noun: “queued calls”, not “what waits”'],
  told: [/\b(?:told|tells?|says?|said)\b/gi, 'return, report, log, or the value itself'],
  behind: [/\bbehind\b(?! (?:a |the |its )?(?:prox|load|Sentinel|gateway|firewall|NAT))/g, 'after'],
  anew: [/\banew\b/gi, 'again'],
  beside: [/\bbesides?\b/gi, 'next to, or in addition to'],
  'of yours': [/\b(?:of (?:yours|theirs)|the own)\b/gi, 'your, their, of its own'],
  text: [/\b(?:a|no|any) text\b/gi, 'a string'],
  those: [/\b(?:those|that one|the others)\b/gi, 'the noun again'],
  idiom: [/\b(?:half-?way|twins?|the moment|becomes? of|became of)\b/gi, "the field's word"],
  circular: [/\b(?:An?|The) \w+ for which `/g, 'a definition'],
};

interface Finding {
  readonly place: string;
  readonly habit: string;
  readonly text: string;
}

function main(mode: string | undefined): number {
  const names = git('ls-files').split('\n');
  const findings: Finding[] = [];
  let words = 0;
  for (const file of names.filter((name) => existsSync(join(root, name)))) {
    const lines = proseOf(file).split('\n');
    words += lines.join(' ').trim().split(/\s+/).length;
    for (const [index, text] of lines.entries())
      findings.push(...habitsOf(text).map((habit) => ({ place: `${file}:${index + 1}`, habit, text })));
  }
  const rate = (1000 * findings.length) / words;
  const isOver = rate > limit;
  if (isOver) print(findings.filter(({ place }) => changedPlaces().has(place)));
  if (mode === '--all') print(findings);
  if (isOver || mode === '--all')
    console.error(`${rate.toFixed(2)} habits in 1,000 words, of ${words.toLocaleString('en')}; the limit is ${limit}`);
  if (isOver)
    console.error('Above: the habits in the lines of your branch. `npm exec -c "node .ci/words.ts --all"` prints all.');
  return isOver ? 1 : 0;
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

let changed: ReadonlySet<string> | undefined;

/** Each `file:line` that differs from `origin/main`, or from the commit before where a clone has no such branch. */
function changedPlaces(): ReadonlySet<string> {
  changed ??= new Set(['origin/main', 'HEAD~1'].map(changedSince).find((places) => places.length > 0));
  return changed;
}

function changedSince(base: string): string[] {
  const places: string[] = [];
  let file = '';
  for (const line of diffSince(base).split('\n')) {
    file = /^\+\+\+ b\/(.*)/.exec(line)?.[1] ?? file;
    const [, first, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first !== undefined)
      places.push(...Array.from({ length: Number(count) }, (_, index) => `${file}:${Number(first) + index}`));
  }
  return places;
}

function diffSince(base: string): string {
  try {
    return git('diff', '-U0', '--no-color', base);
  } catch {
    return '';
  }
}

function habitsOf(text: string): string[] {
  return Object.entries(habits).flatMap(([habit, [pattern]]) => Array.from(text.matchAll(pattern), () => habit));
}

/** The words of a file that a reader reads, each on its line: without code, links and names in backticks. */
function proseOf(file: string): string {
  const text = (): string => readFileSync(join(root, file), 'utf8');
  switch (extname(file)) {
    case '.md':
      return cleaned(text().replaceAll(/^```.*?^```/gms, blank));
    case '.ts':
    case '.tsx':
      return cleaned(only(text(), file.startsWith('packages/') && file.includes('/src/') ? commentOrMessage : comment));
    case '.lua':
    case '.sql':
      return cleaned(only(text(), /(?<=^|\s)-- .*/gm));
    default:
      return '';
  }
}

const comment = /(?<=^|\s)\/\/ [^\n]*|\/\*\*?.*?\*\//gms;

/** Also strings of at least four words. */
const commentOrMessage = new RegExp(
  `${comment.source}|'(?:[\\w$.,:;{}()-]+ ){3}[^'\\n]*'|\`(?:[\\w$.,:;{}()-]+ ){3}[^\`]*\``,
  'gms',
);

/** The text with its lines, of which only the matches are left. */
function only(text: string, pattern: RegExp): string {
  let end = 0;
  let kept = '';
  for (const { 0: match, index } of text.matchAll(pattern)) {
    kept += blank(text.slice(end, index)) + (match.startsWith('`') ? ` ${match.slice(1, -1)}` : match);
    end = index + match.length;
  }
  return kept;
}

function blank(text: string): string {
  return ` ${text.replaceAll(/[^\n]/g, '')}`;
}

function cleaned(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, '`x`').replaceAll(/\]\([^)\n]*\)/g, ']');
}

function print(findings: readonly Finding[]): void {
  for (const { place, habit, text } of findings)
    console.error(`${place}: ${habit} (${habits[habit]?.[1]}): ${text.trim()}`);
}

process.exitCode = main(process.argv[2]);
