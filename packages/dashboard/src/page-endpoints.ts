import { type Endpoint, hidden, missingPage, sent } from 'mempool-server/extension';
import type { BuiltPage } from './built-page.ts';

const notBuilt = `The dashboard of this server is not built.
In a clone of the repository, npm run build makes it. To serve the API alone, set dashboard = false in [server].
`;

/** `/` and the files that it loads. They have no data of the pool, so they need no token. `null`: the page is not built. */
export function pageEndpoints(page: BuiltPage | null): Endpoint[] {
  if (page === null) return [missingPage(notBuilt)];
  const icon = [...page.keys()].find((name) => name.endsWith('.svg')) ?? '';
  const others = [...page.keys()].filter((name) => name !== 'index.html' && !name.startsWith('assets/'));
  return [
    hidden('/', (call) => sent(page.get('index.html'), call)),
    hidden('/assets/{file}', (call) => sent(page.get(`assets/${call.params.file}`), call)),
    // Browsers ask for it beside pages that name no icon.
    hidden('/favicon.ico', (call) => sent(page.get(icon), call)),
    ...others.map((name) => hidden(`/${name}`, (call) => sent(page.get(name), call))),
  ];
}
