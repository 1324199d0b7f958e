import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { highlight } from '../highlight.mjs'

const file = fileURLToPath(new URL('recording.json', import.meta.url))

/** The code as HTML, with the lines marked that differ from what they were before. No token of it spans two lines. */
function marked(code, before) {
  const [open, ...rest] = highlight(code, 'ts').split(/(?<=<code[^>]*>)/)
  const lines = rest.join('').split('\n')
  const changed = code.split('\n').map((line, at) => line !== before[at])
  return open + lines.map((line, at) => (changed[at] ? `<mark>${line}</mark>` : line)).join('\n')
}

/** The recording of scripts/recording.mjs, with its code as HTML. */
export default {
  watch: [file],
  load() {
    const { steps, ...recording } = JSON.parse(readFileSync(file, 'utf8'))
    const before = steps[0].code.split('\n')
    return { ...recording, steps: steps.map(({ code, answer }) => ({ html: marked(code, before), answer })) }
  },
}
