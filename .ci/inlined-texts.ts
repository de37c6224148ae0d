import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Builds the texts of a folder and its subfolders into the package: the module that reads them, `lua-text.ts` with its function
 * `readLua` for the folder `lua`, becomes one that contains them. A bundler finds no files that are named at run time only.
 */
export function inlinedTexts(folder: string): Plugin {
  const reader = `read${folder.charAt(0).toUpperCase()}${folder.slice(1)}`;
  return {
    name: `texts of ${folder}`,
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`[\\\\/]src[\\\\/].*${folder}-text\\.ts$`) }, () => {
        const texts = JSON.stringify(textsOf(resolve(folder)), null, 2);
        return { contents: `const texts = ${texts};\nexport const ${reader} = (name) => texts[name];\n`, loader: 'js' };
      });
    },
  };
}

/** By their paths below the folder. */
function textsOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) !== '');
  const texts = names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(texts.sort());
}
