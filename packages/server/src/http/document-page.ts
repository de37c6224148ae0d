/** The parts of the OpenAPI document that the page shows. */
interface ShownDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
}

interface ShownOperation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { readonly description?: string };
  }[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}code{font-size:.95em}h2{margin:2rem 0 0}dt{font-family:monospace}dd{margin:0 0 0 1.5rem}';

/** The headers of the page: it has no script, and loads nothing. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
};

/** The OpenAPI document as a page for people. */
export function documentPage(document: object): string {
  const { info, paths } = document as ShownDocument;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(`${method.toUpperCase()} ${path}`, operation)),
  );
  const title = escaped(info.title);
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`;
  const intro = `<h1>${title}</h1><p>${escaped(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>.</p>`;
  return `${head}${intro}${operations.join('')}</html>`;
}

function section(title: string, { summary, description, parameters = [], responses }: ShownOperation): string {
  const given = parameters.map((each) => entry(`${each.name} (${each.in})`, each.schema.description ?? ''));
  const answers = Object.entries(responses).map(([status, answer]) => entry(status, answer.description));
  const text = `<p>${escaped(summary)}. ${escaped(description)}</p>`;
  return `<h2><code>${escaped(title)}</code></h2>${text}<dl>${given.join('')}${answers.join('')}</dl>`;
}

function entry(term: string, text: string): string {
  return `<dt>${escaped(term)}</dt><dd>${escaped(text)}</dd>`;
}

/** Text as HTML, also within double quotes. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
