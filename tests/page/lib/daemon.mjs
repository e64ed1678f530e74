// A real rdmadiagd over a tree, on a free port of the loopback.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';

const kStartSeconds = 60;

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function answers(url) {
  try {
    return (await fetch(`${url}-/ready`)).ok;
  } catch {
    return false;
  }
}

export class Daemon {
  static async start(program, tree) {
    const daemon = new Daemon();
    const port = await freePort();
    daemon.url = `http://127.0.0.1:${port}/`;
    writeFileSync(tree.at('rdmadiag.yaml'), 'probes: {ud: {enabled: false}, rc: {enabled: false}}\n');
    mkdirSync(tree.at('proc'), { recursive: true });
    daemon.said = '';
    daemon.process = spawn(program, [
      `--config.file=${tree.at('rdmadiag.yaml')}`,
      `--path.sysfs=${tree.at('sys')}`, `--path.procfs=${tree.at('proc')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    daemon.process.stderr.on('data', (text) => (daemon.said += text));
    daemon.ended = new Promise((resolve) => daemon.process.on('exit', resolve));
    for (const end = Date.now() + kStartSeconds * 1000; !(await answers(daemon.url)); await pause(50)) {
      if (Date.now() > end || daemon.process.exitCode !== null) {
        daemon.process.kill('SIGKILL');
        throw new Error(`rdmadiagd did not start: ${daemon.said}`);
      }
    }
    return daemon;
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
  }
}
