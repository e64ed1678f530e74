// A real daemon over a host with five NDR NICs, three of them unwell.
import path from 'node:path';

import { faults, kDesk, kPhone, open } from '../lib/browser.mjs';
import { accessibility, keyboard, overflow } from '../lib/checks.mjs';
import { Daemon } from '../lib/daemon.mjs';
import { Tree } from '../lib/tree.mjs';

const kPort = 'sys/class/infiniband/mlx5_0/ports/1';

export default async function run({ browser, daemon, pictures, report }) {
  const tree = new Tree().lay('mlx5_ib_ndr');
  const agent = await Daemon.start(daemon, tree);
  try {
    await looks(browser, agent.url, pictures, report);
    await updates(browser, agent.url, tree, report);
  } finally {
    await agent.stop();
    tree.remove();
  }
}

async function looks(browser, url, pictures, report) {
  for (const scheme of ['light', 'dark']) {
    for (const [size, viewport] of [['desk', kDesk], ['phone', kPhone]]) {
      const page = await open(browser, url, { viewport, scheme });
      const name = `${size}, ${scheme}`;
      report.none(`${name}: no error, nothing refused`, await faults(page));
      report.none(`${name}: accessible`, await accessibility(page));
      report.none(`${name}: nothing sticks out`, await overflow(page));
      report.check(`${name}: the fault is seen first`, await faultFirst(page), await page.content());
      report.check(`${name}: the ground is ${scheme}`, (await brightness(page)) > 128 === (scheme === 'light'));
      if (pictures) await page.screenshot({ path: path.join(pictures, `page-${size}-${scheme}.png`) });
      await page.close();
    }
  }
  const page = await open(browser, url);
  report.none('everything is reached by the keyboard, and seen to be', await keyboard(page));
  await page.close();
}

// Verdict and worst finding are within the first screen, before any table.
function faultFirst(page) {
  return page.evaluate(() => {
    const verdict = document.querySelector('.verdict');
    const finding = document.querySelector('.finding');
    const box = finding.getBoundingClientRect();
    const table = document.querySelector('table');
    return verdict.textContent.includes('critical') && finding.textContent.includes('mlx5_4 port 1') &&
      finding.textContent.includes('Reseat') && box.top < innerHeight * 0.6 &&
      Boolean(finding.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING);
  });
}

function brightness(page) {
  return page.evaluate(() => {
    const colour = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (colour[0] + colour[1] + colour[2]) / 3;
  });
}

// The page stays where its reader is while the host changes under it.
async function updates(browser, url, tree, report) {
  const page = await open(browser, url);
  await page.evaluate(() => (globalThis.mark = 'the same document'));
  await page.click('details summary');
  await page.focus('.scroll');
  const before = await page.$eval('.verdict', (e) => e.textContent);
  tree.write(`${kPort}/state`, '1: DOWN\n');
  tree.write(`${kPort}/phys_state`, '2: Polling\n');
  const said = await page.waitForFunction(
    (old) => {
      const now = document.querySelector('.verdict').textContent;
      return now !== old && now;
    },
    { timeout: 60_000 }, before).then((handle) => handle.jsonValue(), (error) => String(error));
  report.check('a port that goes down shows by itself', said.startsWith('2 critical'), `${before} -> ${said}`);
  const kept = await page.evaluate(() => ({
    mark: globalThis.mark,
    open: document.querySelectorAll('details[open]').length,
    focus: document.activeElement.className,
  }));
  report.check('without a reload', kept.mark === 'the same document');
  report.check('what was opened stays open, the focus where it was', kept.open === 1 && kept.focus === 'scroll',
    JSON.stringify(kept));
  tree.write(`${kPort}/hw_counters/out_of_sequence`, '987654\n');
  const drawn = await page.waitForSelector('svg.spark path', { timeout: 60_000 }).then(() => true, () => false);
  report.check('a counter that moves is drawn', drawn);
  report.none('still no error', await faults(page));
  await page.close();
}
