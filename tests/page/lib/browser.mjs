// The system's Chromium, and a page in it that keeps everything that went wrong.
import puppeteer from 'puppeteer-core';

const kProgram = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const kDesk = { width: 1280, height: 900 };
export const kPhone = { width: 360, height: 740, isMobile: true, hasTouch: true };

export function launch() {
  return puppeteer.launch({
    executablePath: kProgram,
    // Root cannot have Chromium's sandbox, and what is shown comes from this machine.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'],
    protocolTimeout: 120_000,
  });
}

// A page at `url`; `page.wrong` collects errors, refused content and requests to elsewhere. Chromium asks
// for a favicon by itself.
export async function open(browser, url, { viewport = kDesk, scheme = 'light' } = {}) {
  const page = await browser.newPage();
  page.wrong = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type()) && !message.location()?.url?.endsWith('/favicon.ico'))
      page.wrong.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => page.wrong.push(`exception: ${error}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) page.wrong.push(`asks elsewhere: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    page.wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.evaluateOnNewDocument(() => {
    globalThis.violations = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      globalThis.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(url, { waitUntil: 'load' });
  return page;
}

// Everything that went wrong since it was opened; empty when nothing did.
export async function faults(page) {
  return [...page.wrong, ...(await page.evaluate(() => globalThis.violations))];
}
