import { type HostEnvironment, headerOf } from './host-environment.ts';
import { Problem } from './problem.ts';

/** Reads the body of a request. @throws `Problem` 413 as soon as it is known to exceed `maxBytes`, 400 if it breaks off */
export async function readBody(request: Request, environment: HostEnvironment, maxBytes: number): Promise<Uint8Array> {
  const declared = headerOf(request, environment, 'content-length');
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const isBounded = declared !== undefined && environment.incoming !== undefined;
  try {
    return isBounded ? new Uint8Array(await request.arrayBuffer()) : await readChunks(request, maxBytes);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(400, 'ERR_SERVER_BODY', { detail: 'The body could not be read to its end.' });
  }
}

/** Reads a body of unknown length, no further than `maxBytes`. */
async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): Problem {
  const detail = `The body is larger than ${maxBytes} bytes.`;
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail, members: { maxBodyBytes: maxBytes } });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws `Problem` 400 if the bytes are not JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new Problem(400, 'ERR_SERVER_JSON', { detail: 'The body is not JSON in UTF-8.' });
  }
}
