/** An element of a small XML document without namespaces, comments or CDATA. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

const token = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<>]+)/giy;

/** @throws Error where the document is not well-formed */
export function parseXml(source: string): Element {
  const root: Element = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [root];
  let end = 0;
  for (const [all, closing, name = '', attributes = '', selfClosing, text] of source.matchAll(token)) {
    end += all.length;
    const parent = open.at(-1) as Element;
    if (text !== undefined) parent.text += plain(text);
    else if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`);
    } else {
      const element = { name, attributes: attributesOf(attributes), children: [], text: '' };
      parent.children.push(element);
      if (!selfClosing) open.push(element);
    }
  }
  if (end !== source.length) throw new Error(`no XML at ${end}: ${source.slice(end, end + 40)}`);
  const [document, ...more] = root.children;
  if (open.length !== 1 || document === undefined || more.length > 0) throw new Error('not one whole element');
  return document;
}

/** Every element below, itself included. */
export function descendants(element: Element): Element[] {
  return [element, ...element.children.flatMap(descendants)];
}

function attributesOf(source: string): Map<string, string> {
  const all = [...source.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    plain(value),
  ]);
  const attributes = new Map(all);
  if (attributes.size !== all.length) throw new Error(`an attribute twice: ${source}`);
  return attributes;
}

function plain(text: string): string {
  if (/&(?!amp;|lt;|gt;|quot;)/.test(text)) throw new Error(`a bare & in ${text}`);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
