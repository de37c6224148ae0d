// Counts habits of language in comments, documentation and error messages, and fails above a limit per 1,000 words. `--worst` lists the files.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from './pack.ts';

/** The most habits in 1,000 words. It only goes down; the aim is 2. */
const limit = 6.8;

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
  readonly file: string;
  readonly habit: string;
  readonly text: string;
}

function main(mode: string | undefined): number {
  const names = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const findings: Finding[] = [];
  let words = 0;
  for (const file of names.filter((name) => existsSync(join(root, name)))) {
    const lines = proseOf(file);
    words += lines.join(' ').split(/\s+/).length;
    findings.push(...lines.flatMap((text) => habitsOf(text).map((habit) => ({ file, habit, text }))));
  }
  const rate = (1000 * findings.length) / words;
  const isOver = rate > limit;
  if (isOver || mode === '--worst') report(findings);
  if (isOver || mode === '--worst')
    console.error(`${rate.toFixed(2)} habits in 1,000 words, of ${words.toLocaleString('en')}; the limit is ${limit}`);
  return isOver ? 1 : 0;
}

function habitsOf(text: string): string[] {
  return Object.entries(habits).flatMap(([habit, [pattern]]) => Array.from(text.matchAll(pattern), () => habit));
}

/** The lines of a file that a reader reads: without code, links and names in backticks. */
function proseOf(file: string): string[] {
  const text = (): string => readFileSync(join(root, file), 'utf8');
  switch (extname(file)) {
    case '.md':
      return cleaned(text().replaceAll(/^```.*?^```/gms, ''));
    case '.ts':
    case '.tsx':
      return [...cleaned(matches(text(), /(?<=^|\s)\/\/ [^\n]*|\/\*\*?.*?\*\//gms)), ...messages(file, text())];
    case '.lua':
    case '.sql':
      return cleaned(matches(text(), /(?<=^|\s)-- .*/gm));
    default:
      return [];
  }
}

/** Strings of at least four words in the source of a package. */
function messages(file: string, text: string): string[] {
  if (!/^packages\/[^/]+\/src\//.test(file)) return [];
  const code = text.replaceAll(/(?<=^|\s)\/\/ [^\n]*|\/\*\*?.*?\*\//gms, '');
  const strings = matches(code, /'[^'\n]*'|`[^`]*`/g).split('\n');
  return strings.filter((each) => /^.(?:[\w$.,:;{}()-]+ ){3}/.test(each));
}

function matches(text: string, pattern: RegExp): string {
  return Array.from(text.matchAll(pattern), ([all]) => all).join('\n');
}

function cleaned(text: string): string[] {
  const prose = text.replaceAll(/`[^`\n]*`/g, '`x`').replaceAll(/\]\([^)]*\)/g, ']');
  return prose.split('\n').filter((line) => line.trim() !== '');
}

function report(findings: readonly Finding[]): void {
  const files = Map.groupBy(findings, ({ file }) => file);
  const worst = Array.from(files).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [file, all] of worst.slice(0, 30)) {
    console.error(`${file}: ${all.length}`);
    for (const { habit, text } of all.slice(0, 5)) console.error(`  ${habit} (${habits[habit]?.[1]}): ${text.trim()}`);
  }
}

process.exitCode = main(process.argv[2]);
