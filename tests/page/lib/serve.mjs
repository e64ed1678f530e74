// Serves a page made by write_pages as the daemon would: same paths, types and policy.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

export class Pages {
  static async start(folder, name) {
    const pages = new Pages();
    pages.show(name);
    pages.asked = 0;
    const file = (what) => readFileSync(path.join(folder, what));
    const policy = file('policy').toString();
    pages.server = createServer((request, response) => {
      const answer = (type, body) => {
        response.setHeader('Content-Type', `${type}; charset=utf-8`);
        response.setHeader('Content-Security-Policy', policy);
        response.end(body);
      };
      if (request.url === '/style.css') return answer('text/css', file('style.css'));
      if (request.url === '/page.js') return answer('text/javascript', file('page.js'));
      if (request.url === '/') {
        ++pages.asked;
        return answer('text/html', file(`${pages.name}.html`));
      }
      if (request.url.startsWith('/pair?')) return answer('text/html', file('pair.html'));
      response.statusCode = 404;
      return answer('text/plain', '');
    });
    await new Promise((resolve) => pages.server.listen(0, '127.0.0.1', resolve));
    pages.url = `http://127.0.0.1:${pages.server.address().port}/`;
    return pages;
  }

  // From now on; an open page asks again by itself.
  show(name) {
    this.name = name;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
