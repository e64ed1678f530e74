// Writes each dashboard as JSON into the folder given.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import agent from './agent';
import cluster from './cluster';
import host from './host';
import mesh from './mesh';

const folder = process.argv[2];
if (!folder) throw new Error('usage: main.js FOLDER');
mkdirSync(folder, { recursive: true });
for (const dashboard of [cluster, host, mesh, agent]) {
  writeFileSync(join(folder, `${dashboard.uid}.json`), JSON.stringify(dashboard, null, 2) + '\n');
}
