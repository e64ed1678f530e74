// What every page must keep, whatever it shows. Each returns a list of what is wrong.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const kAxe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kMostStops = 400;

// WCAG by axe: contrast, names, landmarks, headings, regions that scroll and cannot be focused.
export async function accessibility(page) {
  await page.evaluate(kAxe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.flatMap((rule) =>
    rule.nodes.slice(0, 5).map((node) => `${rule.id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
}

// What sticks out sideways.
export function overflow(page) {
  return page.evaluate(() => {
    const wide = document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth;
    if (wide <= 0) return [];
    const right = document.scrollingElement.clientWidth;
    const guilty = [...document.querySelectorAll('body *')]
      .filter((e) => e.getBoundingClientRect().right > right && !e.parentElement.closest('.scroll'))
      .map((e) => e.outerHTML.slice(0, 120));
    return [`${wide} pixels too wide`, ...guilty.slice(0, 3)];
  });
}

// Goes through the page by Tab: everything one can act on is reached, in document order, and is seen to
// have the focus.
export async function keyboard(page) {
  const wrong = [];
  const wanted = await page.evaluate(() => {
    const shown = [...document.querySelectorAll('a[href], summary, [tabindex="0"]')]
      .filter((e) => e.checkVisibility() || e.classList.contains('skip'));
    shown.forEach((e, i) => (e.dataset.stop = i));
    document.activeElement?.blur();
    return shown.length;
  });
  for (let stop = 0; stop < Math.min(wanted, kMostStops); ++stop) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      const box = e.getBoundingClientRect();
      const outline = getComputedStyle(e).outlineStyle;
      return { stop: e.dataset.stop, html: e.outerHTML.slice(0, 100), outline, width: box.width, left: box.left };
    });
    if (at.stop !== String(stop)) wrong.push(`Tab ${stop + 1} leads to ${at.html}`);
    if (at.outline === 'none' || at.width === 0 || at.left < 0) wrong.push(`no focus to be seen at ${at.html}`);
    if (wrong.length > 3) break;
  }
  return wrong;
}
