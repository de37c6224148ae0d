import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { misconfigured } from 'mempool-core/backend';

const maxSecretBytes = 64 * 1024;

/**
 * Returns the text of a file without white space at its ends. No error contains the text.
 * @throws `ERR_MEMPOOL_CONFIG` naming `place` if the file cannot be read, is empty, is longer than 64 KiB or is no UTF-8
 */
export async function readSecret(path: string, place: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const error = misconfigured(place, `names a file that cannot be read (${cause.code ?? 'unknown'}): ${path}`);
    error.cause = cause;
    throw error;
  });
  const text = bytes.length > maxSecretBytes ? '' : bytes.toString('utf8').trim();
  if (text === '') throw misconfigured(place, `names a file that is empty or too long: ${path}`);
  if (!isUtf8(bytes)) throw misconfigured(place, `names a file that is not encoded in UTF-8: ${path}`);
  return text;
}
