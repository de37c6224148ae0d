import { createParser, type EventSourceMessage } from 'eventsource-parser';

export function submit(
  { url }: { readonly url: string },
  payload: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/api/v1/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: payload as Uint8Array<ArrayBuffer>,
  });
}

export function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Reads server-sent events until the connection ends. */
export async function* eventsOf(response: Response): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  const text = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(text.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}

/** The first `count` events. */
export async function firstEvents(response: Response, count: number): Promise<EventSourceMessage[]> {
  const found: EventSourceMessage[] = [];
  for await (const event of eventsOf(response)) if (found.push(event) === count) break;
  return found;
}

/** The JSON of an answer, whose form the test asserts. */
export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}
