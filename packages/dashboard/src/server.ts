import { defineExtension, type Extension, table } from 'mempool-server/extension';
import { builtPage } from './built-page.ts';
import { pageEndpoints } from './page-endpoints.ts';

/** The dashboard: `/` and the files that it loads. */
const extension: Extension<object> = defineExtension({
  section: 'dashboard',
  schema: table({}),
  open: async () => ({ endpoints: pageEndpoints(builtPage()) }),
});

export default extension;
