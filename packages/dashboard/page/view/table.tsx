import type { ComponentChildren, VNode } from 'preact';

interface Given {
  readonly columns: readonly string[];
  readonly caption?: ComponentChildren;
  readonly kind?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with the names of its columns. */
export function Table({ columns, caption, kind, children }: Given): VNode {
  return (
    <table class={kind}>
      {caption !== undefined && <caption>{caption}</caption>}
      <thead>
        <tr>
          {columns.map((name) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface BoxGiven {
  /** For those who do not see it. */
  readonly label: string;
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** What scrolls must be reachable by keyboard. */
const scrolled = { tabIndex: 0 };

/** A box that scrolls: on a phone, a table is wider than the page. */
export function TableBox({ label, kind = '', children }: BoxGiven): VNode {
  return (
    <section class={`table-box ${kind}`.trim()} aria-label={label} {...scrolled}>
      {children}
    </section>
  );
}
