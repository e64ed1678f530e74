// Drives the status page in the system's Chromium: of real daemons over sample trees, and of made-up
// hosts with peers.
//   node run.mjs BIN_DIR [--junit FILE] [--pictures FOLDER] [CASE…]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { launch } from './lib/browser.mjs';
import { Report } from './lib/report.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { junit: { type: 'string' }, pictures: { type: 'string' } },
});
const [bin, ...wanted] = positionals;
if (!bin) {
  console.error('usage: node run.mjs BIN_DIR [--junit FILE] [--pictures FOLDER] [CASE…]');
  process.exit(2);
}
const folder = path.join(import.meta.dirname, 'cases');
const names = readdirSync(folder).map((file) => path.basename(file, '.mjs')).sort();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length) throw new Error(`no such case: ${unknown}; there are ${names}`);

const report = new Report();
const pages = mkdtempSync(path.join(tmpdir(), 'rdmadiag-pages-'));
execFileSync(path.join(bin, 'write_pages'), [pages]);
const browser = await launch();
try {
  for (const name of wanted.length ? wanted : names) {
    const { default: run } = await import(path.join(folder, `${name}.mjs`));
    try {
      await run({ browser, pages, daemon: path.join(bin, 'rdmadiagd'), pictures: options.pictures, report });
    } catch (error) {
      report.check(`${name} runs to its end`, false, error.stack);
    }
  }
} finally {
  await browser.close();
  rmSync(pages, { recursive: true, force: true });
}
if (options.junit) report.write(options.junit);
process.exit(report.failed() ? 1 : 0);
