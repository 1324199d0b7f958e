import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { highlight } from '../highlight.mjs'

const file = fileURLToPath(new URL('recording.json', import.meta.url))

/** What scripts/recording.mjs recorded, with its code as HTML. */
export default {
  watch: [file],
  load() {
    const { steps, ...recording } = JSON.parse(readFileSync(file, 'utf8'))
    return { ...recording, steps: steps.map(({ code, answer }) => ({ html: highlight(code, 'ts'), answer })) }
  },
}
