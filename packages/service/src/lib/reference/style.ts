/** The style sheet of the reference, in the colours of the web page. */
export const style = `:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #17181c);
  --panel: light-dark(#f7f7f9, #121317);
  --line: light-dark(#e7e7ec, #26272e);
  --line-strong: light-dark(#d6d6de, #363842);
  --text: light-dark(#1c1c22, #e9e9ee);
  --text-2: light-dark(#5c5c68, #a6a7b3);
  --text-3: light-dark(#676772, #92939f);
  --accent: light-dark(#434ac0, #8a92ff);
  --accent-soft: light-dark(rgb(81 89 211 / 10%), rgb(124 132 255 / 15%));
  --green: light-dark(#0f6a3f, #4cc38a);
  --amber: light-dark(#8a5a10, #e0a94a);
  --red: light-dark(#ad2440, #f0808f);
  --blue: light-dark(#1d5fa8, #74b3f5);
  --violet: light-dark(#6b3fa0, #b794f0);
  --sample: light-dark(#1d1e26, #101116);
  --sample-head: light-dark(#2a2b36, #1a1b21);
  --sample-text: #e4e4ec;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --head: 52px;
}
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: calc(var(--head) + 20px); scrollbar-gutter: stable; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.6 var(--sans); -webkit-font-smoothing: antialiased; }
h1, h2, h3, h4, p, ul, dl, dd, figure, table { margin: 0; }
ul { padding: 0; list-style: none; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
p a, .type a { text-decoration: underline; text-decoration-color: color-mix(in srgb, currentcolor 40%, transparent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font: 0.875em/1.5 var(--mono); }
.skip { position: absolute; left: 12px; top: -60px; z-index: 3; padding: 8px 14px; border-radius: 8px; background: var(--accent); color: var(--page); }
.skip:focus { top: 8px; }

header { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 14px; height: var(--head); padding: 0 24px;
  border-bottom: 1px solid var(--line); background: var(--page); }
header .home { color: var(--text-2); font-size: 14px; }
header .home::after { content: '/'; margin-left: 14px; color: var(--line-strong); }
header .title { font-weight: 600; white-space: nowrap; }
header .version { padding: 1px 8px; border-radius: 99px; background: var(--accent-soft); color: var(--accent); font: 12px/1.6 var(--mono); }
header .document { margin-left: auto; font-size: 14px; white-space: nowrap; }

.columns { display: grid; grid-template-columns: 272px minmax(0, 1fr); }
aside { position: sticky; top: var(--head); align-self: start; height: calc(100vh - var(--head)); overflow-y: auto; padding: 20px 12px 40px 16px;
  border-right: 1px solid var(--line); background: var(--panel); scrollbar-width: thin; }
aside label, aside input { display: none; }
nav h2 { margin: 20px 0 4px; padding: 0 8px; font-size: 12.5px; font-weight: 600; }
nav h2 a { color: var(--text); }
nav li a { display: flex; align-items: center; gap: 8px; min-height: 28px; padding: 3px 8px; border-radius: 6px; color: var(--text-2); font-size: 13.5px; line-height: 1.35; }
nav li a:hover { background: var(--accent-soft); color: var(--text); text-decoration: none; }
nav .method { order: 2; margin-left: auto; padding: 0 5px; font-size: 10px; }

main { min-width: 0; padding: 0 clamp(20px, 3.5vw, 56px) 120px; }
.chapter, .endpoint { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 490px); gap: 24px clamp(28px, 3.5vw, 64px); padding: 36px 0; max-width: 1320px; }
.endpoint + .endpoint { border-top: 1px solid var(--line); }
section > h2 { padding: 44px 0 0; font-size: 25px; line-height: 1.25; letter-spacing: -0.015em; }
section + section { border-top: 1px solid var(--line); }
h1 { margin: 8px 0 14px; font-size: 34px; line-height: 1.15; letter-spacing: -0.025em; }
h3 { font-size: 18px; line-height: 1.35; letter-spacing: -0.01em; }
h4 { margin: 26px 0 2px; padding-bottom: 6px; color: var(--text-3); font-size: 12px; font-weight: 600; letter-spacing: 0.04em; text-transform: uppercase; }
h1 a, h2 a, h3 a { color: inherit; }
h3 code { font-size: 0.95em; }
h3 + .fields, h3 + .note { margin-top: 14px; }
h2 > a:hover, h3 > a:hover { text-decoration: none; }
h2 > a:hover::after, h3 > a:hover::after { content: ' #'; color: var(--text-3); font-weight: 400; }
.about > p { margin-top: 12px; max-width: 68ch; }
.about > h3 + p { margin-top: 8px; }
.about > p + h2, .about > p + h3 { margin-top: 32px; }
.about > h2 { font-size: 18px; line-height: 1.35; }
.about > h2 + p { margin-top: 8px; }
.lead { color: var(--text-2); font-size: 17px; }
.note { color: var(--text-2); font-size: 14px; }
.wide { grid-column: 1 / -1; max-width: 760px; }

.address { display: flex; align-items: baseline; gap: 10px; overflow-wrap: anywhere; }
.address code { font-size: 13.5px; }
.base { color: var(--text-3); }
.hole { color: var(--violet); }
.method { flex: none; padding: 1px 7px; border-radius: 5px; font: 600 11px/1.6 var(--mono); letter-spacing: 0.02em; }
.get { background: color-mix(in srgb, var(--blue) 13%, transparent); color: var(--blue); }
.post { background: color-mix(in srgb, var(--green) 13%, transparent); color: var(--green); }
.put { background: color-mix(in srgb, var(--amber) 15%, transparent); color: var(--amber); }
.patch { background: color-mix(in srgb, var(--violet) 14%, transparent); color: var(--violet); }
.delete { background: color-mix(in srgb, var(--red) 12%, transparent); color: var(--red); }
.conditions { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 14px; font-size: 13px; }
.conditions li { padding: 2px 10px; border: 1px solid var(--line-strong); border-radius: 99px; color: var(--text-2); }

.fields > div { padding: 10px 0; border-top: 1px solid var(--line); }
.fields > div:last-child { padding-bottom: 0; }
.note + .fields, .form-name + .fields { margin-top: 10px; }
dt { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 9px; }
dt > code { font-weight: 600; font-size: 13.5px; overflow-wrap: anywhere; }
.type { color: var(--text-3); font-size: 13px; }
.type code { color: var(--text-2); }
.mark { color: var(--text-3); font-size: 12px; }
.mark.must { color: var(--red); }
dd { margin-top: 2px; color: var(--text-2); font-size: 14px; }
.inner { margin: 10px 0 0; padding: 0 14px 10px; border: 1px solid var(--line); border-radius: 8px; }
.inner > .fields > div:first-child { border-top: 0; }
.form { margin-top: 14px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; }
.form-name { font-size: 14px; font-weight: 600; }
.answer { padding: 9px 0; border-top: 1px solid var(--line); }
.answer > p { display: flex; align-items: baseline; gap: 10px; font-size: 14px; }
.answer .fields { margin: 8px 0 4px 18px; }
.answer .note { margin: 6px 0 0 18px; }
.why { color: var(--text-2); }
.status { flex: none; padding: 0 6px; border-radius: 5px; font: 600 12px/1.6 var(--mono); }
.s2 { background: color-mix(in srgb, var(--green) 13%, transparent); color: var(--green); }
.s4 { background: color-mix(in srgb, var(--red) 10%, transparent); color: var(--red); }

.sample { position: sticky; top: calc(var(--head) + 24px); align-self: start; display: grid; gap: 14px; min-width: 0; }
figure { overflow: hidden; border-radius: 10px; background: var(--sample); color: var(--sample-text); color-scheme: dark; border: 1px solid light-dark(transparent, #2a2b33); }
figcaption { display: flex; justify-content: space-between; padding: 7px 14px; background: var(--sample-head); color: #b9bac6; font-size: 12.5px; }
figcaption .s2 { background: rgb(76 195 138 / 16%); color: #6fdca8; }
pre { max-height: min(520px, 62vh); margin: 0; padding: 13px 14px; overflow: auto; scrollbar-width: thin; font: 12.5px/1.6 var(--mono); }
pre:focus-visible { outline-offset: -2px; border-radius: 0 0 10px 10px; }
pre code { font: inherit; }

table { width: 100%; margin-top: 16px; border-collapse: collapse; font-size: 14px; }
th { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--line-strong); color: var(--text-3); font-size: 12px; font-weight: 600; text-align: start; }
td { padding: 8px 16px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }

@media (max-width: 1150px) {
  .chapter, .endpoint { grid-template-columns: minmax(0, 1fr); }
  .sample { position: static; }
}
@media (max-width: 780px) {
  header { padding: 0 16px; gap: 10px; }
  header .home { display: none; }
  .columns { display: block; }
  aside { position: static; height: auto; padding: 0; border-right: 0; border-bottom: 1px solid var(--line); }
  aside input { display: block; position: absolute; opacity: 0; }
  aside label { display: block; padding: 12px 16px; font-weight: 600; cursor: pointer; }
  aside label::after { content: '+'; float: right; color: var(--text-3); }
  aside input:checked + label::after { content: '–'; }
  aside input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: -2px; }
  aside input:not(:checked) ~ nav { display: none; }
  nav { max-height: 60vh; overflow-y: auto; padding: 0 8px 16px; }
  h1 { font-size: 28px; }
  main { padding: 0 16px 80px; }
}
@media print {
  aside, .skip { display: none; }
  .columns { display: block; }
  header { position: static; }
}
`
