// Checks the committed dashboards: built from src/ as they stand, valid against the schema of Grafana's
// own types, every panel explained, every runbook there, every metric known.
//   node check.mjs METRICS_FILE RUNBOOK_FOLDER      (METRICS_FILE: one metric name a line)
import Ajv from 'ajv';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createGenerator } from 'ts-json-schema-generator';

const [metricsFile, runbooks] = process.argv.slice(2);
const sdk = 'node_modules/@grafana/grafana-foundation-sdk/dist';
const failures = [];
const fail = (file, text) => failures.push(`${file}: ${text}`);

function validator(path, type, patch = () => {}) {
  const schema = createGenerator({ path, type, tsconfig: 'tsconfig.json', skipTypeCheck: true }).createSchema(type);
  patch(schema);
  return new Ajv({ strict: false, allErrors: true }).compile(schema);
}

// Queries are an open type there; each is checked against the type of its own data source instead.
const isDashboard = validator(`${sdk}/dashboard/types.gen.d.ts`, 'Dashboard', (schema) => {
  schema.definitions.Dataquery = {};
});
const isQuery = validator(`${sdk}/prometheus/types.gen.d.ts`, 'dataquery', (schema) => {
  schema.definitions.dataquery.required = ['expr', 'refId'];
  delete schema.definitions.dataquery.properties._implementsDataqueryVariant;
});

// Names of our metrics in an expression; histograms are known by their base name.
const namesIn = (expr) => [...expr.matchAll(/\b((?:rdma|rdmadiag|process|nic|leaf|leafpair)[a-z0-9_]*(?::[a-z0-9_:]+)?)\b(?=[{[\s)*/<>=]|$)/g)]
  .map((match) => match[1]).filter((name) => /^(rdma_|rdmadiag_|process_)|:/.test(name));
const known = metricsFile ? new Set(readFileSync(metricsFile, 'utf8').split('\n').filter(Boolean)) : null;
const recorded = /^(nic|leaf|leafpair):/;

for (const file of readdirSync('.').filter((name) => /^rdmadiag-.*\.json$/.test(name))) {
  const text = readFileSync(file, 'utf8');
  const built = `build/json/${file}`;
  if (!existsSync(built) || readFileSync(built, 'utf8') !== text) fail(file, 'is not what src/ builds: run npm run build');
  const dashboard = JSON.parse(text);
  if (!isDashboard(dashboard)) {
    for (const error of isDashboard.errors.slice(0, 5)) fail(file, `${error.instancePath} ${error.message}`);
  }
  for (const panel of dashboard.panels.filter((one) => one.type !== 'row')) {
    const where = `panel "${panel.title}"`;
    if (!panel.description) fail(file, `${where} has no description`);
    for (const link of panel.links ?? []) {
      const page = link.url.split('/').pop();
      if (runbooks && !existsSync(`${runbooks}/${page}`)) fail(file, `${where}: no runbook ${page}`);
    }
    if (!panel.targets?.length) fail(file, `${where} asks nothing`);
    for (const target of panel.targets ?? []) {
      if (!isQuery(target)) fail(file, `${where}: ${isQuery.errors[0].instancePath} ${isQuery.errors[0].message}`);
      const names = namesIn(target.expr);
      if (!names.length) fail(file, `${where}: no metric of ours in ${target.expr}`);
      for (const name of names) {
        const base = name.replace(/_(bucket|sum|count)$/, '');
        if (known && !recorded.test(name) && !known.has(name) && !known.has(base)) fail(file, `${where}: unknown metric ${name}`);
      }
    }
  }
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.length ? 1 : 0);
