// Keeps an open status page current without reloading it. The page is complete without.
#include "exporters/html.h"

namespace rdmadiag::exporters {

std::string_view page_script() {
  return R"js('use strict';
// Asks for the page again and puts its parts in place of the old ones where they differ. What the
// reader opened, where the focus is and how far a table is scrolled stay as they are.
const kPeriod = 5000;
const kParts = ['header', 'main', 'footer'];
let busy = false;

const keyOf = (details) => details.querySelector('summary')?.textContent.replace(/[0-9]+/g, '') ?? '';
const scrollers = (part) => [...part.querySelectorAll('.scroll')];

function replace(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const opened = new Set([...old.querySelectorAll('details[open]')].map(keyOf));
  for (const details of fresh.querySelectorAll('details')) details.open = opened.has(keyOf(details));
  const moved = scrollers(old).map((box) => [box.querySelector('table')?.id, box.scrollLeft]);
  const focused = [...old.querySelectorAll('a, summary, .scroll')].indexOf(document.activeElement);
  old.replaceWith(fresh);
  for (const box of scrollers(fresh)) {
    const was = moved.find(([id]) => id && id === box.querySelector('table')?.id);
    if (was) box.scrollLeft = was[1];
  }
  if (focused >= 0) {
    fresh.querySelectorAll('a, summary, .scroll')[focused]?.focus({ preventScroll: true });
  }
}

async function update() {
  if (busy || document.hidden) return;
  busy = true;
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(kPeriod) });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const name of kParts) {
      const fresh = page.querySelector(name);
      const old = document.querySelector(name);
      if (fresh && old) replace(old, document.adoptNode(fresh));
    }
    document.title = page.title;
    document.body.classList.remove('stale');
  } catch {
    document.body.classList.add('stale');
  }
  busy = false;
}

setInterval(update, kPeriod);
document.addEventListener('visibilitychange', update);
)js";
}

}  // namespace rdmadiag::exporters
