import { escaped } from './document-page.ts';

/** What the login page shows. */
export interface LoginView {
  /** The token that this browser is logged in with. */
  readonly name: string | null;
  /** Why the last try failed. */
  readonly fault: string | null;
}

/** The login page. It works without a script. */
export function loginPage({ name, fault }: LoginView): string {
  const alert = fault === null ? '' : `<p role="alert">${escaped(fault)}</p>`;
  const described = fault === null ? '' : ' aria-invalid="true"';
  const known = `<p>Logged in with the token <b>${escaped(name ?? '')}</b>.</p><p><a href="./">Dashboard</a></p><form method="post" action="logout"><button>Log out</button></form>`;
  const form = `<form method="post" action="login">${alert}<label for="token">Token</label><input id="token" name="token" type="password" required autofocus autocomplete="current-password" maxlength="1024" spellcheck="false"${described}><button>Log in</button></form><p>A token with the scope <code>read</code>. Whoever runs the server makes one with <code>mempool token</code>.</p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Log in – Mempool</title><link rel="icon" href="favicon.ico"><link rel="stylesheet" href="login.css"></head><body><main><h1>Mempool</h1>${name === null ? form : known}</main></body></html>`;
}

/** The style sheet of the login page, in the colours of the dashboard. */
export const loginStyle = `:root{color-scheme:light dark;--paper:#f7f7f4;--sheet:#fff;--ink:#1b1f1d;--soft:#59615d;--accent:#0b6b57;--on:#fff;--bad:#a3271b}
@media(prefers-color-scheme:dark){:root{--paper:#111413;--sheet:#181c1a;--ink:#e7ebe8;--soft:#9ba5a0;--accent:#62c8b0;--on:#111413;--bad:#ff9d8f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:24rem;padding:2rem;background:var(--sheet);border-radius:6px}
h1{margin:0 0 1.5rem;font-size:1.15rem;font-weight:650}
form{display:grid;gap:.5rem}
label{font-weight:600}
input,button{font:inherit;padding:.6rem .75rem;border-radius:6px;width:100%}
input{border:1px solid var(--soft);background:var(--paper);color:inherit}
button{border:0;margin-top:.5rem;background:var(--accent);color:var(--on);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
p{margin:1rem 0 0;color:var(--soft)}
[role=alert]{margin:0;color:var(--bad)}
a{color:var(--accent)}
`;
