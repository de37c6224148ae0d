/** A node's refusal of a call. */
export class RpcFailure extends Error {
  override readonly name: string = 'RpcFailure';
}

/**
 * Calls a method of an Ethereum node by HTTP. Returns its result.
 * @throws `RpcFailure` with the node's message; another error if the node does not answer within ten seconds
 */
export async function rpcCall(
  url: string,
  method: string,
  params: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(10_000);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new RpcFailure(`${method}: ${error.message}`);
  return result;
}
