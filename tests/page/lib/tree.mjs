// Sysfs trees for a daemon: the samples of tests/fixtures, and copies of one device under many names.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const kSamples = path.resolve(import.meta.dirname, '../../fixtures/sysfs_trees.tsv');
const kEscapes = { n: '\n', t: '\t', '\\': '\\' };

function unescape(text) {
  return text.replace(/\\(x([0-9A-Fa-f]{2})|.)/g, (_all, plain, hex) =>
    hex ? String.fromCharCode(parseInt(hex, 16)) : kEscapes[plain]);
}

// Path and content of every file of a sample, as bytes in strings.
export function sampleFiles(name) {
  const files = [];
  for (const line of readFileSync(kSamples, 'latin1').split('\n')) {
    const [where, content = ''] = line.split('\t');
    if (where.startsWith(`${name}/`)) files.push([where.slice(name.length + 1), unescape(content)]);
  }
  if (files.length === 0) throw new Error(`no sample ${name}`);
  return files;
}

export class Tree {
  constructor() {
    this.root = mkdtempSync(path.join(tmpdir(), 'rdmadiag-page-'));
    mkdirSync(this.at('sys/class'), { recursive: true });
  }

  at(where) {
    return path.join(this.root, where);
  }

  write(where, content) {
    mkdirSync(path.dirname(this.at(where)), { recursive: true });
    writeFileSync(this.at(where), content, 'latin1');
  }

  // All of a sample, or what `rename` gives a path for.
  lay(sample, rename = (where) => where) {
    for (const [where, content] of sampleFiles(sample)) {
      const to = rename(where);
      if (to) this.write(to, content);
    }
    return this;
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true });
  }
}
