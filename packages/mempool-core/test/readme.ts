import { readFileSync } from 'node:fs';

const read = (page: string): string => readFileSync(new URL(page, import.meta.url), 'utf8');
const backends: string = read('../docs/backends.md');
const contract: string = read('../docs/contract.md');
const priority: string = read('../docs/priority.md');
const tables: string = contract + read('../docs/configuration.md');

/** The code block of that name in the page for authors of backends. */
export function code(name: string): string {
  const [, block] = new RegExp(`\`\`\`ts ${name}\\n(.*?)\`\`\``, 's').exec(backends) ?? [];
  if (block === undefined) throw new Error(`the page has no code block named ${name}`);
  return block;
}

/** The rows of the table between two marks, in the contract or in the page about configurations, without backticks. */
export function table(mark: string): string[][] {
  const [, lines] = new RegExp(`<!-- ${mark} -->\\n(.*?)\\n<!-- /${mark} -->`, 's').exec(tables) ?? [];
  if (lines === undefined) throw new Error(`no page has a table named ${mark}`);
  const rows = lines.split('\n').map((line) => line.replaceAll('`', '').split('|').slice(1, -1));
  return rows.map((row) => row.map((cell) => cell.trim())).filter(([first]) => first !== '---');
}

/** The ids of the rules in the contract and the page about priority pools, in the order of the two pages. */
export function rules(): string[] {
  return Array.from((contract + priority).matchAll(/^### ([A-Z]\d+) /gm), ([, id]) => id ?? '');
}
