// Renders the output of a terminal as a page, for screenshots.

const COLOURS = { 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan', 90: 'grey' }
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** ANSI colors, bold and dim become classes; every other sequence is removed. */
function spans(text) {
  const on = new Set()
  return text
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const codes = /^\u001b\[(?<codes>[\d;]*)m$/.exec(part)?.groups.codes
      if (codes === undefined) return part === '' ? '' : `<span class="${[...on].join(' ')}">${escaped(part)}</span>`
      for (const code of codes.split(';').map(Number)) {
        if (code === 0) on.clear()
        else if (code === 1) on.add('bold')
        else if (code === 2) on.add('dim')
        else if (code === 22) ['bold', 'dim'].forEach((each) => on.delete(each))
        else if (code === 39) Object.values(COLOURS).forEach((each) => on.delete(each))
        else if (COLOURS[code]) on.add(COLOURS[code])
      }
      return ''
    })
    .join('')
}

export const terminalPage = (
  told,
) => `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>
  body { margin: 0; height: 100vh; background: light-dark(#fbfbfc, #17181c); color: light-dark(#1c1c22, #e9e9ee); }
  header { display: flex; gap: 7px; padding: 13px 16px 0; }
  header i { width: 11px; height: 11px; border-radius: 50%; background: light-dark(#d6d6de, #363842); }
  pre { margin: 0; padding: 12px 22px; font: 13px/1.55 ui-monospace, 'DejaVu Sans Mono', monospace; white-space: pre-wrap; }
  .bold { font-weight: 600 } .dim { opacity: .65 }
  .red { color: light-dark(#b3243f, #f0768c) } .green { color: light-dark(#0f6a3f, #4cc48d) }
  .yellow { color: light-dark(#8a5a10, #e0a94a) } .cyan, .blue { color: light-dark(#3a49b8, #a0b4ff) }
  .magenta { color: light-dark(#7a3fc4, #c3a6ff) } .grey { color: light-dark(#63636e, #a2a3ae) }
</style>
<header><i></i><i></i><i></i></header>
<pre><span class="dim">$</span> npm run dev\n${spans(told)}</pre>`
