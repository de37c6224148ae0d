import 'uplot/dist/uPlot.min.css';
import './styles/base.css';
import './styles/header.css';
import './styles/session.css';
import './styles/tiles.css';
import './styles/parts.css';
import './styles/flow.css';
import './styles/charts.css';
import './styles/feed.css';
import './styles/ledger.css';
import './styles/epochs.css';
import './styles/drawer.css';
import { render } from 'preact';
import { Dashboard } from './state/dashboard.ts';
import { hashIn } from './state/life.ts';
import { forgetWhenLeft } from './state/step-back.ts';
import { App } from './view/app.tsx';
import { DashboardContext } from './view/use-dashboard.ts';

const dashboard = new Dashboard();
const page = document.getElementById('page');
if (page !== null)
  render(
    <DashboardContext.Provider value={dashboard}>
      <App />
    </DashboardContext.Provider>,
    page,
  );

/** `#tx=<hash>` opens the drawer, so that a transaction has an address. */
function followAddress(): void {
  const named = /^#tx=(.+)$/.exec(location.hash)?.[1];
  dashboard.inspect(named === undefined ? null : hashIn(named));
}

/** A browser opens six connections to a server at most, so pages that nobody sees leave theirs to others. */
const hiddenMs = 30_000;
let hiding: ReturnType<typeof setTimeout> | undefined;

function followVisibility(): void {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => dashboard.stop(), hiddenMs);
  else dashboard.start();
}

addEventListener('hashchange', followAddress);
document.addEventListener('visibilitychange', followVisibility);
followAddress();
dashboard.start();
forgetWhenLeft();
