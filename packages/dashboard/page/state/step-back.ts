/**
 * A step back of the browser shows a page as it was left. After a logout that would be numbers that nobody may read any
 * more: so the page is left hidden, and loaded again.
 */
export function forgetWhenLeft(): void {
  addEventListener('pagehide', () => {
    document.documentElement.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}
