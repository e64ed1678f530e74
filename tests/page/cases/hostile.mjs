// Names that mean harm, from sysfs and from peers, are text.
import { faults, kPhone, open } from '../lib/browser.mjs';
import { overflow } from '../lib/checks.mjs';
import { Daemon } from '../lib/daemon.mjs';
import { Pages } from '../lib/serve.mjs';
import { Tree } from '../lib/tree.mjs';

const kDevice = '<img src=x onerror=alert(1)>';
const kLong = 'long'.repeat(60);

export default async function run({ browser, daemon, pages, report }) {
  const tree = new Tree().lay('mlx5_ib_ndr', (where) => where.replace('infiniband/mlx5_4', `infiniband/${kDevice}`));
  tree.lay('mlx5_ib_ndr', (where) => where.includes('infiniband/mlx5_3/') && where.replace('mlx5_3', kLong));
  tree.write(`sys/class/infiniband/${kDevice}/fw_ver`, '"><script>alert(2)</script>\n');
  tree.write(`sys/class/infiniband/${kDevice}/hca_type`, `';alert(3)//\x1b[31m\xff\n`);
  tree.write(`sys/class/infiniband/${kDevice}/ports/1/hw_counters/<svg onload=alert(4)>`, '5\n');
  const agent = await Daemon.start(daemon, tree);
  try {
    await harmless(browser, agent.url, 'sysfs', kDevice, report);
  } finally {
    await agent.stop();
    tree.remove();
  }
  const server = await Pages.start(pages, 'mesh_hostile');
  await harmless(browser, server.url, 'peers', '<script>alert(2)</script>', report);
  await server.stop();
}

async function harmless(browser, url, from, shown, report) {
  const page = await open(browser, url, { viewport: kPhone });
  report.none(`${from}: nothing runs, nothing is asked for`, await faults(page));
  report.check(`${from}: it is shown as it is`, (await page.$eval('main', (e) => e.textContent)).includes(shown));
  const made = await page.$$eval('main img, main script, main svg:not(.spark)', (found) => found.length);
  report.check(`${from}: no element comes of it`, made === 0, String(made));
  report.none(`${from}: long names do not stick out`, await overflow(page));
  await page.close();
}
