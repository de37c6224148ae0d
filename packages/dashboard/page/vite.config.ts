import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The page: one folder of files with hashed names, beside the built server. `--outDir` builds it elsewhere. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative, so that the page works behind the path prefix of a proxy.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // `npx vite packages/dashboard/page` shows changes at once, with the numbers of `npm run serve`.
  server: { proxy: Object.fromEntries(['/api', '/readyz', '/docs'].map((path) => [path, 'http://127.0.0.1:4420'])) },
  build: {
    outDir: fileURLToPath(new URL('../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows files of its own origin only: no inline script, no data URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
