import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import type { HttpClient } from './http-client.ts';
import type { ToldEvent } from './target.ts';

/** What a stream of events asks for. */
export interface Stream {
  readonly client: HttpClient;
  /** Where to begin: a cursor. */
  readonly after: string;
  readonly hash: string | undefined;
  readonly signal: AbortSignal;
  /** Told when the connection is lost, with the reason. */
  readonly onLost: (reason: string) => void;
}

/** The server sends a comment every 15 s. */
const silenceMs = 45_000;
const pauses = [100, 250, 500, 1_000, 2_000, 5_000] as const;

/**
 * The events of a server after a cursor. It connects again after a lost connection, and resumes behind the last event, so
 * that none is missing or delivered twice. Ends at the abort.
 * @throws the failure of the first connection; a refusal of any
 */
export async function* resumingEvents(stream: Stream): AsyncGenerator<ToldEvent, undefined> {
  let { after } = stream;
  let failures: number | null = null;
  while (!stream.signal.aborted) {
    try {
      for await (const { id, event } of connection(stream, after)) {
        failures = 0;
        if (event === null) continue;
        after = id ?? after;
        yield event;
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

interface Delivered {
  readonly id: string | undefined;
  /** `null`: the connection stands. */
  readonly event: ToldEvent | null;
}

/** One connection, until it is lost. @throws `Failure` with `tryAgain` if it is lost */
async function* connection({ client, hash, signal }: Stream, after: string): AsyncGenerator<Delivered, undefined> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), silenceMs);
  const lost = (reason: string): Failure => new Failure(exitCodes.tryAgain, `lost ${client.place}: ${reason}`);
  const delivered: Delivered[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (event !== 'end') delivered.push({ id, event: JSON.parse(data) as ToldEvent });
    },
  });
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': after };
    const both = AbortSignal.any([signal, silent.signal]);
    const response = await client.send({ path: '/events', query: { hash }, headers, signal: both });
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
