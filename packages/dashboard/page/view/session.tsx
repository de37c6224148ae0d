import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readJson } from '../wire/read.ts';

/** `GET /session`. */
interface Session {
  readonly token: string | null;
  readonly login: boolean;
}

/** Who is logged in, and the way out; nothing on a server without a login. */
export function SessionMenu(): VNode | null {
  const [session, setSession] = useState<Session | null>(null);
  useEffect(() => {
    // Where this is refused, the other reads are too, and the page goes to the login.
    readJson<Session>('api/v1/session').then(setSession, () => undefined);
  }, []);
  if (session === null || !session.login) return null;
  return (
    <form class="session" method="post" action="logout">
      <span>{session.token}</span>
      <button type="submit">Log out</button>
    </form>
  );
}
