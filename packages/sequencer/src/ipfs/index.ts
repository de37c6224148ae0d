// The entry `mempool-sequencer/ipfs`: batches as content of IPFS. It needs the package multiformats.
import { CID } from 'multiformats/cid';
import * as raw from 'multiformats/codecs/raw';
import { sha256 } from 'multiformats/hashes/sha2';
import type { Batch } from '../contract/batch.ts';

/** The published part of a batch. */
export type PublishedBatch = Pick<Batch, 'epoch' | 'root' | 'leaves'>;

/** Options of `ipfsPublisher`. */
export interface IpfsOptions {
  /** The HTTP API of an IPFS node, such as `http://127.0.0.1:5001`; `null`: batches get their content id, and are not uploaded. */
  readonly url: string | null;
  /** How long the node may take for one batch, in milliseconds; default 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** The bytes that are published: JSON with `epoch`, `root` and `leaves`. The same batch gives the same bytes. */
export function contentOf({ epoch, root, leaves }: PublishedBatch): Uint8Array {
  const each = leaves.map(({ project, cid }) => ({ project, cid }));
  return new TextEncoder().encode(JSON.stringify({ epoch, root, leaves: each }));
}

/** The content id of a batch: CIDv1, codec raw, SHA-256. */
export async function batchCid(batch: PublishedBatch): Promise<string> {
  return cidOf(contentOf(batch));
}

async function cidOf(content: Uint8Array): Promise<string> {
  return CID.createV1(raw.code, await sha256.digest(content)).toString();
}

/**
 * Makes a function for the option `publish` of a sequencer. It computes the content id here, uploads the batch as one block, and returns the id. It
 * rejects if the node does not take the block, or answers with another id: the sequencer publishes again then.
 */
export function ipfsPublisher({ url, timeoutMs = 10_000 }: IpfsOptions): (batch: PublishedBatch) => Promise<string> {
  return async (batch) => {
    const content = contentOf(batch);
    const cid = await cidOf(content);
    if (url !== null) await upload({ url, cid, content, timeoutMs });
    return cid;
  };
}

interface Upload {
  readonly url: string;
  readonly cid: string;
  readonly content: Uint8Array;
  readonly timeoutMs: number;
}

async function upload({ url, cid, content, timeoutMs }: Upload): Promise<void> {
  const query = 'cid-codec=raw&mhtype=sha2-256&pin=true&allow-big-block=true';
  const body = new FormData();
  body.append('data', new Blob([new Uint8Array(content)]));
  const target = `${url.replace(/\/$/, '')}/api/v0/block/put?${query}`;
  const answer = await fetch(target, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (cause) => {
      throw new Error(`the IPFS node does not answer: ${cause instanceof Error ? cause.message : cause}`, { cause });
    },
  );
  if (!answer.ok) throw new Error(`the IPFS node answered ${answer.status}`);
  const { Key: key } = (await answer.json().catch(() => ({}))) as { readonly Key?: unknown };
  if (key !== cid) throw new Error(`the IPFS node stored the batch as ${String(key)}, and not as ${cid}`);
}
