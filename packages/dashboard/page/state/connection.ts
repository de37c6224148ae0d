/** How the page stands to the server. */
export interface Connection {
  /** Of the live events. `paused`: the page is hidden, so it reads nothing. */
  readonly stream: 'connecting' | 'open' | 'lost' | 'paused';
  /** When the live events were lost, by the browser's clock; `null` while they come. */
  readonly streamLostAt: number | null;
  /** When the first read failed of those that failed in a row; `null` if the last one was answered. */
  readonly silentSince: number | null;
  /** The message of the last failed read. */
  readonly failure: string | null;
  /** When a read was last answered. */
  readonly answeredAt: number | null;
}

export const unconnected: Connection = {
  stream: 'connecting',
  streamLostAt: null,
  silentSince: null,
  failure: null,
  answeredAt: null,
};

/** What happens to a connection. */
export type ConnectionChange =
  | { readonly kind: 'opened' | 'lost' | 'paused' | 'answered'; readonly at: number }
  | { readonly kind: 'failed'; readonly at: number; readonly detail: string };

export function connectionAfter(connection: Connection, change: ConnectionChange): Connection {
  switch (change.kind) {
    case 'opened':
      return { ...connection, stream: 'open', streamLostAt: null };
    case 'lost':
      return { ...connection, stream: 'lost', streamLostAt: connection.streamLostAt ?? change.at };
    case 'paused':
      return { ...connection, stream: 'paused', streamLostAt: null };
    case 'answered':
      return { ...connection, silentSince: null, failure: null, answeredAt: change.at };
    case 'failed':
      return { ...connection, silentSince: connection.silentSince ?? change.at, failure: change.detail };
  }
}
