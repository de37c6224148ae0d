const name = '[A-Za-z][\\w:.-]*';
const attributes = `(?:\\s+${name}="[^"<&]*")*`;
const tag = new RegExp(`<(?:/(${name})\\s*|(${name})(${attributes})\\s*(/?))>`, 'y');
const content = /(?:[^<&]|&(?:amp|lt|gt|quot|apos);)+/y;

/** Elements, attributes and text, which is all that our pictures have of XML. @throws Error where they are not well-formed */
export function checkXml(xml: string): void {
  const open: string[] = [];
  let roots = 0;
  for (let at = 0; at < xml.length; ) {
    const [whole, closed, opened, attributeText = '', isEmpty] =
      matchAt(tag, xml, at) ?? matchAt(content, xml, at) ?? fail(at);
    if (opened !== undefined) {
      checkAttributes(attributeText, at);
      if (open.length === 0) roots += 1;
      if (isEmpty === '') open.push(opened);
    } else if (closed !== undefined) {
      if (open.pop() !== closed) fail(at);
    } else if (open.length === 0 && whole.trim() !== '') fail(at);
    at += whole.length;
  }
  if (open.length > 0 || roots !== 1) fail(xml.length);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function checkAttributes(attributeText: string, at: number): void {
  const names = Array.from(attributeText.matchAll(/([\w:.-]+)="/g), ([, each]) => each);
  if (new Set(names).size < names.length) fail(at);
}

function fail(at: number): never {
  throw new Error(`not well-formed at ${at}`);
}
