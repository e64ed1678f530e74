// Names and outcomes of the checks, printed as they come, and as JUnit for scripts/test.
import { writeFileSync } from 'node:fs';

const quoted = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export class Report {
  results = [];

  check(name, ok, detail = '') {
    this.results.push({ name, ok });
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${ok ? '' : `\n     ${detail}`}`);
  }

  // A list of what is wrong.
  none(name, wrong) {
    this.check(name, wrong.length === 0, wrong.join('\n     '));
  }

  note(name, value) {
    console.log(`note ${name}: ${value}`);
  }

  failed() {
    return this.results.length === 0 || this.results.some(({ ok }) => !ok);
  }

  write(file) {
    const cases = this.results.map(({ name, ok }) =>
      `  <testcase name="${quoted(name)}" status="${ok ? 'run' : 'fail'}"/>\n`);
    writeFileSync(file, `<testsuite name="page">\n${cases.join('')}</testsuite>\n`);
  }
}
