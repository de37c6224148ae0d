import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { HttpClient } from './http-client.ts';

/** The options of a stream of events. */
export interface Stream {
  readonly client: HttpClient;
  /** The path below `/api/v1`. */
  readonly path: string;
  /** The cursor to begin after. Without it, the stream has only later events. */
  readonly after: string | undefined;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal: AbortSignal;
  /** Called with the reason when the connection is lost. */
  readonly onLost: (reason: string) => void;
}

/** The server sends a comment every 15 s. */
const silenceMs = 45_000;
const pauses = [100, 250, 500, 1_000, 2_000, 5_000] as const;

/**
 * Yields the events of a server after a cursor, until the signal aborts. After a lost connection it reconnects and resumes
 * after the last event, so that none is missing or delivered twice.
 * @throws the failure of the first connection; the refusal of any connection
 */
export async function* resumingEvents<Told>(stream: Stream): AsyncGenerator<Told, undefined> {
  let { after } = stream;
  let failures: number | null = null;
  while (!stream.signal.aborted) {
    try {
      for await (const { id, event } of connection<Told>(stream, after)) {
        failures = 0;
        after = id ?? after;
        if (event !== null) yield event;
      }
    } catch (error) {
      if (stream.signal.aborted) return;
      if (failures === null || !(error instanceof Failure) || error.exitCode !== exitCodes.tryAgain) throw error;
      if (failures === 0) stream.onLost(error.message);
    }
    const pauseMs: number = pauses[Math.min(failures ?? 0, pauses.length - 1)] ?? 0;
    failures = (failures ?? 0) + 1;
    await sleep(pauseMs, undefined, { signal: stream.signal }).catch(() => undefined);
  }
}

interface Delivered<Told> {
  /** Where to resume. It also comes alone: past events that a filter leaves out. */
  readonly id: string | undefined;
  /** An event; `null` when the connection is established, and with an id that comes alone. */
  readonly event: Told | null;
}

/** One connection, until it is lost. @throws `Failure` with `tryAgain` if it is lost */
async function* connection<Told>(
  { client, path, query, signal }: Stream,
  after: string | undefined,
): AsyncGenerator<Delivered<Told>, undefined> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), silenceMs);
  const lost = (reason: string): Failure => new Failure(exitCodes.tryAgain, `lost ${client.place}: ${reason}`);
  const delivered: Delivered<Told>[] = [];
  const parser = createParser({
    onId: (id) => delivered.push({ id, event: null }),
    onEvent: ({ id, event, data }) => {
      if (event !== 'end') delivered.push({ id, event: JSON.parse(data) as Told });
    },
  });
  try {
    const headers = { 'last-event-id': after };
    const both = AbortSignal.any([signal, silent.signal]);
    const response = await client.stream({ path, query, headers, signal: both });
    yield { id: undefined, event: null };
    for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      parser.feed(text);
      yield* delivered.splice(0);
    }
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    throw lost(silent.signal.aborted ? 'it is silent' : 'the connection broke');
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
  throw lost('it ended the stream');
}
