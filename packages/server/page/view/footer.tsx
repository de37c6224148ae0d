import type { VNode } from 'preact';

/** Where the same is for programs. */
export function Footer(): VNode {
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
