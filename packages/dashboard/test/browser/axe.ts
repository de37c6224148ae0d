import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What a page does that keeps people from using it, by the rules of axe, each with the first place. What still fades
 * in is waited for: half shown, a text has half its contrast.
 */
export async function barriers(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
    return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html.slice(0, 200)} ${node?.failureSummary}`);
  });
}
