import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Inspected } from '../state/inspector.ts';
import { Life } from './life.tsx';
import { useField } from './use-dashboard.ts';

/** The life of one transaction, at the side. It is open while the address of the page names one. */
export function Drawer(): VNode {
  const inspected = useField('inspected');
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = inspected !== null;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="drawer" aria-labelledby="drawer-title" onClose={leave} {...closedFromOutside}>
      {inspected !== null && <Content inspected={inspected} />}
    </dialog>
  );
}

/** Beside the button, and the key that closes every dialog. */
const closedFromOutside = {
  onClick: (event: MouseEvent): void => {
    // The dialog itself is hit only outside of its content.
    if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close();
  },
};

/** The address names no transaction any more, and the page stays where it is. */
function leave(): void {
  if (!location.hash.startsWith('#tx=')) return;
  history.pushState(null, '', location.pathname + location.search);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

function Content({ inspected }: { readonly inspected: Inspected }): VNode {
  const { hash, fault } = inspected;
  return (
    <div class="drawer-content">
      <div class="drawer-head">
        <h2 id="drawer-title">Transaction</h2>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </div>
      <p class="whole-hash">{hash}</p>
      {fault === null ? <Life inspected={inspected} /> : <p class="fault">{fault}</p>}
    </div>
  );
}
