// Checks every document of the manifests against the schemas of its kind: Kubernetes' own and the
// Prometheus operator's.
//   node check.mjs FILE…
import { readFileSync } from 'node:fs';

import { parseAllDocuments } from 'yaml';

let failed = 0;

async function modelOf({ apiVersion, kind }) {
  const base = apiVersion.startsWith('monitoring.coreos.com/') ? '@kubernetes-models/prometheus-operator/' : 'kubernetes-models/';
  return (await import(base + apiVersion))[kind];
}

for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'), { strict: true })) {
    const where = `${file}:${document.contents?.range[0]}`;
    try {
      if (document.errors.length) throw document.errors[0];
      const object = document.toJS();
      new (await modelOf(object))(object).validate();
      console.log(`ok ${object.kind} ${object.metadata.name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${where}: ${error.message}`);
    }
  }
}
process.exit(failed ? 1 : 0);
