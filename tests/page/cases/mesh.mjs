// Four hosts that probe each other; one begins to lose.
import path from 'node:path';

import { faults, kPhone, open } from '../lib/browser.mjs';
import { accessibility, keyboard, overflow } from '../lib/checks.mjs';
import { Pages } from '../lib/serve.mjs';

export default async function run({ browser, pages, pictures, report }) {
  const server = await Pages.start(pages, 'mesh');
  const page = await open(browser, server.url);
  const tiles = () => page.$$eval('.tile', (all) => all.map((e) => [e.className, e.textContent]));
  report.check('three peers, all well', (await tiles()).every(([css]) => css === 'tile good'), String(await tiles()));
  await page.focus('.tile');
  server.show('mesh_lossy');
  const shown = await page.waitForSelector('.tile.bad', { timeout: 60_000 }).then(() => true, () => false);
  report.check('a peer that loses turns bad by itself', shown);
  report.check('the focus stays', (await page.evaluate(() => document.activeElement.className)) === 'tile bad');
  const finding = await page.$eval('.finding', (e) => e.textContent);
  report.check('and is the first finding', /61 of 900 probes to leaf leaf-2 lost/.test(finding), finding);
  await page.keyboard.press('Enter');
  const target = await page.evaluate(() => document.querySelector('tr:target')?.textContent ?? '');
  report.check('its tile leads to its row', target.includes('node2/mlx5_0') && target.includes('20 % lost'), target);
  report.check('the row is in sight', await page.$eval('tr:target', (e) => {
    const box = e.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  }));
  report.none('no error', await faults(page));
  await pair(page, pictures, report);
  await page.close();
  for (const scheme of ['light', 'dark']) {
    const phone = await open(browser, server.url, { viewport: kPhone, scheme });
    report.none(`${scheme}: accessible`, await accessibility(phone));
    report.none(`${scheme}: nothing sticks out on a phone`, await overflow(phone));
    if (pictures) await phone.screenshot({ path: path.join(pictures, `mesh-phone-${scheme}.png`), fullPage: true });
    await phone.close();
  }
  const desk = await open(browser, server.url);
  report.none('everything is reached by the keyboard', await keyboard(desk));
  if (pictures) {
    await desk.screenshot({ path: path.join(pictures, 'mesh-desk-light.png'), fullPage: true });
  }
  await desk.close();
  await server.stop();
}

// From the row on to the pair: what of the round trip the network took, over time.
async function pair(page, pictures, report) {
  await Promise.all([page.waitForNavigation(), page.click('#pair-0 a')]);
  const asked = new URL(page.url()).searchParams;
  report.check('the row leads to the pair', asked.get('peer') === 'node2/mlx5_0' && asked.get('device') === 'mlx5_0');
  const bars = await page.$$eval('.chart .network', (all) => all.length);
  report.check('with its course in bars', bars === 20, String(bars));
  report.none('pair: no error', await faults(page));
  report.none('pair: keyboard', await keyboard(page));
  report.none('pair: accessible', await accessibility(page));
  await page.evaluate(() => scrollTo(0, 0));
  if (pictures) await page.screenshot({ path: path.join(pictures, 'pair-desk-light.png') });
  await page.setViewport(kPhone);
  report.none('pair: nothing sticks out on a phone', await overflow(page));
}
