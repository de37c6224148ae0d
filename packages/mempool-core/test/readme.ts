import { readFileSync } from 'node:fs';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The code block of that name. */
export function code(name: string): string {
  const [, block] = new RegExp(`\`\`\`ts ${name}\\n(.*?)\`\`\``, 's').exec(readme) ?? [];
  if (block === undefined) throw new Error(`the README has no code block named ${name}`);
  return block;
}

/** The rows of the table between two marks, without its head; backticks left out. */
export function table(mark: string): string[][] {
  const [, lines] = new RegExp(`<!-- ${mark} -->\\n(.*?)\\n<!-- /${mark} -->`, 's').exec(readme) ?? [];
  if (lines === undefined) throw new Error(`the README has no table named ${mark}`);
  const rows = lines.split('\n').map((line) => line.replaceAll('`', '').split('|').slice(1, -1));
  return rows.map((row) => row.map((cell) => cell.trim())).filter(([first]) => first !== '---');
}

/** The ids of the rules, in the order of the page. */
export function rules(): string[] {
  return Array.from(readme.matchAll(/^- \*\*([A-Z]\d+)\*\* /gm), ([, id]) => id ?? '');
}
