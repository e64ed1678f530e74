#include "exporters/html.h"

namespace rdmadiag::exporters {

std::string_view page_style() {
  return R"css(:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f8; --line: #d4dae1; --ink: #17202a; --soft: #51606f;
  --link: #0b57a4; --good: #176639; --warning: #7d4a00; --bad: #b3151d; --unknown: #51606f;
  --good-ground: #e7f5ec; --warning-ground: #fdf2dc; --bad-ground: #fdeaea; --unknown-ground: #eef1f4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12171d; --raised: #1b222b; --line: #35404c; --ink: #e6ebf0; --soft: #a3b1bf;
    --link: #8ec2ff; --good: #7fd6a0; --warning: #f0bd6a; --bad: #ff9b96; --unknown: #a3b1bf;
    --good-ground: #14301f; --warning-ground: #362607; --bad-ground: #401617; --unknown-ground: #232c36;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem clamp(0.75rem, 3vw, 2rem); max-width: 90rem;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
a { color: var(--link); }
a:focus-visible, .scroll:focus-visible, summary:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { margin: 0; font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.6rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
.verdict {
  display: inline-block; margin: 0.6rem 0; padding: 0.35rem 0.9rem; border-radius: 0.4rem;
  font-size: 1.15rem; font-weight: 600;
}
.verdict.good { background: var(--good-ground); }
.verdict.warning { background: var(--warning-ground); }
.verdict.bad { background: var(--bad-ground); }
.verdict.unknown { background: var(--unknown-ground); }
.facts, .rest, footer { margin: 0.2rem 0; color: var(--soft); overflow-wrap: anywhere; }
.stale .facts::after { content: " · does not answer: what you see is old"; color: var(--bad); font-weight: 600; }
.good { color: var(--good); }
.warning { color: var(--warning); }
.bad { color: var(--bad); }
.unknown { color: var(--unknown); }
.findings { margin: 0; padding: 0; list-style: none; display: grid; gap: 0.7rem; }
.finding {
  padding: 0.7rem 0.9rem; border: 1px solid var(--line); border-left: 0.35rem solid currentcolor;
  border-radius: 0.3rem; background: var(--raised);
}
.finding h3, .finding dl { color: var(--ink); }
.severity { text-transform: uppercase; font-size: 0.8rem; letter-spacing: 0.04em; }
.finding.bad .severity { color: var(--bad); }
.finding.warning .severity { color: var(--warning); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 0.9rem; margin: 0.4rem 0 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.3rem; }
/* As high as 200 and 1,000 rows are: what is out of sight is not laid out. */
.long { content-visibility: auto; contain-intrinsic-size: auto 440rem; }
.longest { content-visibility: auto; contain-intrinsic-size: auto 2200rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { padding: 0.4rem 0.7rem; text-align: left; vertical-align: top; }
thead th { background: var(--raised); color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
td { max-width: 34rem; overflow-wrap: break-word; }
td.prose { min-width: 15rem; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.path { min-width: 11rem; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.87rem; }
td.short, td.good, td.warning, td.bad, td.unknown { white-space: nowrap; }
.spark { display: block; width: 7.5rem; height: 1.5rem; fill: var(--link); }
.chart { display: block; width: 100%; max-width: 50rem; max-height: 14rem; border-bottom: 1px solid var(--line); }
.network { color: var(--link); fill: var(--link); }
.responder { color: var(--warning); fill: var(--warning); }
.prober { color: var(--unknown); fill: var(--unknown); }
.lost { color: var(--bad); fill: var(--bad); }
.tiles { display: flex; flex-wrap: wrap; gap: 0.3rem; margin: 0.3rem 0 0.9rem; padding: 0; list-style: none; }
.tile {
  display: block; padding: 0.25rem 0.6rem; border: 1px solid currentcolor; border-radius: 0.3rem;
  text-decoration: none; font-variant-numeric: tabular-nums;
}
.tile .peer { color: var(--ink); }
.tile.good { background: var(--good-ground); }
.tile.warning { background: var(--warning-ground); }
.tile.bad { background: var(--bad-ground); }
.tile.unknown { background: var(--unknown-ground); }
tr:target { outline: 2px solid var(--link); outline-offset: -2px; }
details { margin-top: 0.9rem; }
details > .findings { margin-top: 0.5rem; }
summary { cursor: pointer; color: var(--link); padding: 0.2rem 0; }
footer { margin-top: 2.5rem; padding-top: 0.8rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
nav a { margin-right: 1rem; }
@media (max-width: 40rem) {
  body { font-size: 0.95rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dt { margin-top: 0.3rem; }
  th, td { padding: 0.35rem 0.5rem; }
  tbody th { position: sticky; left: 0; background: var(--ground); max-width: 11rem; }
}
@media print { .skip, nav { display: none; } .scroll { overflow: visible; border: 0; } }
)css";
}

}  // namespace rdmadiag::exporters
