// The pages of four real hosts that probe each other in the lab, one of which loses packets.
//   node lab.mjs [--junit FILE] [--pictures FOLDER]
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { faults, launch, open } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';

const kLossy = 3;
const kLab = path.resolve(import.meta.dirname, '../lab/run');
// A window of 30 s, its grace and the page's period, ten times over for emulation on a busy machine.
const kShowsWithin = 400_000;

const { values: options } = parseArgs({ options: { junit: { type: 'string' }, pictures: { type: 'string' } } });
const report = new Report();

// Name and page of each host, when all are up.
async function hosts(lab) {
  const found = [];
  for await (const line of createInterface({ input: lab.stdout })) {
    console.log(line);
    const host = line.match(/^(\S+) \((\S+)\): (http:\S+\/) /);
    if (host) found.push({ name: `${host[1]}/${host[2]}`, url: host[3].replace('localhost', '127.0.0.1') });
    if (line.startsWith('ready')) return found;
  }
  throw new Error('the lab did not come up');
}

// Opened while all is well or not yet known; what is awaited comes without a reload.
async function shows(browser, host, what, wanted, picture) {
  const page = await open(browser, host.url);
  const seen = await page.waitForFunction(wanted, { timeout: kShowsWithin, polling: 1000 }, lossy.name)
    .then(() => true, () => false);
  const finding = await page.evaluate(() => document.querySelector('.verdict, .finding')?.closest('body').innerText);
  report.check(`${host.name}: ${what}`, seen, finding.slice(0, 1500));
  report.none(`${host.name}: no error, nothing refused`, await faults(page));
  if (options.pictures) await page.screenshot({ path: path.join(options.pictures, picture) });
  await page.close();
}

const lab = spawn(kLab, ['--serve', '--lossy', String(kLossy)], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => lab.on('exit', resolve));
const browser = await launch();
let lossy;
try {
  const all = await hosts(lab);
  lossy = all[kLossy - 1];
  await shows(browser, lossy, 'the host itself says that most of its peers do not answer',
    () => [...document.querySelectorAll('.finding')].some((e) => e.textContent.includes('3 of 3 leaf peers')) &&
      document.querySelector('.verdict').textContent.includes('warning') &&
      document.querySelectorAll('.tile.bad').length === 3, 'lab-lossy.png');
  await shows(browser, all[0], 'another host says that probes are lost, and to whom',
    (name) => [...document.querySelectorAll('.finding')].some((e) => e.textContent.includes('lost in the last 30 s')) &&
      document.querySelector('.tile.bad') !== null &&
      [...document.querySelectorAll('.tile.bad')].every((tile) => tile.textContent.includes(name)), 'lab-peer.png');
} catch (error) {
  report.check('the lab serves', false, error.stack);
} finally {
  await browser.close();
  lab.kill('SIGINT');
}
report.check('the lab ends cleanly', (await ended) === 0);
if (options.junit) report.write(options.junit);
process.exit(report.failed() ? 1 : 0);
