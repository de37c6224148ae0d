import { readFileSync } from 'node:fs';

const pages = ['../README.md', '../docs/contract.md'] as const;
const [readme, contract] = pages.map((page) => readFileSync(new URL(page, import.meta.url), 'utf8')) as [
  string,
  string,
];

/** The code block of that name. */
export function code(name: string): string {
  const [, block] = new RegExp(`\`\`\`ts ${name}\\n(.*?)\`\`\``, 's').exec(readme) ?? [];
  if (block === undefined) throw new Error(`the README has no code block named ${name}`);
  return block;
}

/** The rows of the table between two marks, in the README or in the contract, without backticks. */
export function table(mark: string): string[][] {
  const [, lines] = new RegExp(`<!-- ${mark} -->\\n(.*?)\\n<!-- /${mark} -->`, 's').exec(readme + contract) ?? [];
  if (lines === undefined) throw new Error(`no page has a table named ${mark}`);
  const rows = lines.split('\n').map((line) => line.replaceAll('`', '').split('|').slice(1, -1));
  return rows.map((row) => row.map((cell) => cell.trim())).filter(([first]) => first !== '---');
}

/** The ids of the contract's rules, in the order of the page. */
export function rules(): string[] {
  return Array.from(contract.matchAll(/^### ([A-Z]\d+) /gm), ([, id]) => id ?? '');
}
