import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hashIn } from '../state/life.ts';
import { openTransaction } from './hash-link.tsx';

/** Finds a transaction by its hash. The key `/` goes there. */
export function Search(): VNode {
  const [fault, setFault] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useSlash(input);
  const search = (event: Event): void => {
    event.preventDefault();
    const hash = hashIn(input.current?.value ?? '');
    setFault(hash === null ? 'A hash has 2 to 128 hex digits, an even number of them.' : '');
    if (hash !== null) openTransaction(hash);
  };
  return (
    <search class="search">
      <form onSubmit={search}>
        <label class="hidden" for="hash">
          Hash of a transaction
        </label>
        <input
          id="hash"
          ref={input}
          type="search"
          placeholder="Find a transaction by its hash"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="hash-fault"
          aria-invalid={fault !== ''}
          onInput={() => setFault('')}
        />
        <button type="submit">Find</button>
      </form>
      <p id="hash-fault" class="wrong" role="status">
        {fault}
      </p>
    </search>
  );
}

/** `/` goes to the input, unless somebody types elsewhere. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [input]);
}
