// A thousand devices and a thousand peers: bounded, complete, and it scrolls.
import { faults, open } from '../lib/browser.mjs';
import { Pages } from '../lib/serve.mjs';

const kMostBytes = 3_000_000;

export default async function run({ browser, pages, report }) {
  const server = await Pages.start(pages, 'large');
  const page = await open(browser, server.url);
  const seen = await page.evaluate(() => {
    const [load] = performance.getEntriesByType('navigation');
    return {
      bytes: load.decodedBodySize,
      milliseconds: Math.round(load.loadEventEnd - load.startTime),
      devices: document.querySelector('#devices').parentElement.querySelectorAll('tbody tr').length,
      tiles: document.querySelectorAll('.tile').length,
      elements: document.querySelectorAll('*').length,
    };
  });
  report.note('loaded', JSON.stringify(seen));
  report.note('CPU seconds of the page for one load', await cpuOfLoad(page));
  report.check('all devices and peers are there', seen.devices === 1000 && seen.tiles === 1000, JSON.stringify(seen));
  report.check(`below ${kMostBytes} bytes`, seen.bytes < kMostBytes, String(seen.bytes));
  // Tables are laid out when they come into sight, which moves the end.
  const scrolled = await page.evaluate(async () => {
    const start = performance.now();
    let presses = 0;
    for (let height = 0; height !== document.body.scrollHeight && presses < 10; ++presses) {
      height = document.body.scrollHeight;
      scrollTo(0, height);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    return { y: Math.round(scrollY), presses, milliseconds: Math.round(performance.now() - start) };
  });
  report.note('scrolled to the end', JSON.stringify(scrolled));
  report.check('it scrolls to its end', await page.evaluate(() => {
    const end = document.querySelector('footer').getBoundingClientRect();
    return end.top < innerHeight && end.bottom > 0;
  }));
  server.show('large_later');
  const updated = await page.waitForFunction(
    () => document.querySelectorAll('.tile.bad').length === 41, { timeout: 60_000 }).then(() => true, () => false);
  report.check('it updates itself', updated);
  report.check('and stays where it was scrolled to', Math.abs((await page.evaluate(() => scrollY)) - scrolled.y) < 200);
  report.none('no error', await faults(page));
  await page.close();
  await server.stop();
}

// Apart from how busy the machine is: what the thread that parses, lays out and runs the script took.
async function cpuOfLoad(page) {
  const session = await page.createCDPSession();
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.reload({ waitUntil: 'load' });
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  return metrics.find(({ name }) => name === 'TaskDuration').value.toFixed(3);
}
