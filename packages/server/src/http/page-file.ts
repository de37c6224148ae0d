import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

/** How a file may be sent; `identity` is the file as it is. */
export type Encoding = 'br' | 'gzip' | 'identity';

type Bytes = Uint8Array<ArrayBuffer>;

const compressors: { readonly [E in Exclude<Encoding, 'identity'>]: (bytes: Bytes) => Promise<Bytes> } = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: zlib.Z_BEST_COMPRESSION }),
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};
/** These are compressed already. */
const packed: ReadonlySet<string> = new Set(['.png', '.ico', '.woff2']);

/** One file of the built page, in memory. It is compressed at the first request for it, once. */
export class PageFile {
  readonly bytes: Bytes;
  readonly type: string;
  /** True if the name has a hash of the content, so that the content behind a name never changes. */
  readonly isHashed: boolean;
  readonly #hash: string;
  readonly #isPacked: boolean;
  readonly #compressed = new Map<Encoding, Promise<Bytes>>();

  constructor(name: string, bytes: Bytes) {
    const extension = extname(name);
    this.bytes = bytes;
    this.type = types[extension] ?? 'application/octet-stream';
    this.isHashed = /^assets\/[^/]*-[\w-]{8,}\.\w+$/.test(name);
    this.#isPacked = packed.has(extension);
    this.#hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  }

  /** The entity tag of the file in an encoding, with its quotes. */
  tag(encoding: Encoding): string {
    return `"${this.#hash}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  }

  /** The smallest encoding that a client takes, by its `Accept-Encoding`. */
  encodingFor(accepted: string | undefined): Encoding {
    if (this.#isPacked) return 'identity';
    return (['br', 'gzip'] as const).find((each) => accepts(accepted ?? '', each)) ?? 'identity';
  }

  encoded(encoding: Encoding): Promise<Bytes> | Bytes {
    if (encoding === 'identity') return this.bytes;
    const known = this.#compressed.get(encoding) ?? compressors[encoding](this.bytes);
    this.#compressed.set(encoding, known);
    return known;
  }
}

/** A name alone means yes; a weight of 0 means no. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((each) => {
    const [name, ...parameters] = each.toLowerCase().replaceAll(' ', '').split(';');
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
