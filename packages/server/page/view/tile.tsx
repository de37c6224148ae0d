import type { ComponentChildren, VNode } from 'preact';

interface TileProps {
  readonly name: string;
  /** The field of the API that the number is. */
  readonly field: string;
  readonly value: string;
  readonly children?: ComponentChildren;
}

/** One number with its name, and a line about it. */
export function Tile({ name, field, value, children }: TileProps): VNode {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <span class="value" data-field={field}>
          <Units text={value} />
        </span>
        <span class="about">{children}</span>
      </dd>
    </div>
  );
}

/** A number with its units smaller than itself: `3 min 20 s`. */
function Units({ text }: { readonly text: string }): VNode {
  const parts = text.split(/( ?[a-z%]+)/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <small key={`${i}${part}`}>{part}</small> : part))}</>;
}
