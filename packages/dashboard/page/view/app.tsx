import type { VNode } from 'preact';
import { Chain } from './chain.tsx';
import { Charts } from './charts.tsx';
import { Drawer } from './drawer.tsx';
import { Drops } from './drops.tsx';
import { Election } from './election.tsx';
import { Epochs } from './epochs.tsx';
import { LiveFeed } from './feed.tsx';
import { Header } from './header.tsx';
import { Ledger } from './ledger.tsx';
import { Next } from './next.tsx';
import { Tiles } from './tiles.tsx';

/** The whole page. */
export function App(): VNode {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the numbers
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Tiles />
        <div class="flow">
          <Next />
          <Chain />
        </div>
        <Charts />
        <div class="columns">
          <LiveFeed />
          <div>
            <Election />
            <Drops />
          </div>
        </div>
        <Epochs />
        <Ledger />
      </main>
      <Footer />
      <Drawer />
    </>
  );
}

/** Where the same is for programs. */
function Footer(): VNode {
  return (
    <footer class="bottom">
      <nav aria-label="The API">
        <a href="docs">API</a>
        <a href="openapi.json">OpenAPI</a>
        <a href="metrics">Metrics</a>
      </nav>
    </footer>
  );
}
