import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BotSource } from '../../link/ports.ts'
import type { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'

const framework = new URL('../../../dist/index.js', import.meta.url).href

/** The first lines of a file. `note` appends to the rig's notes. */
const head = (rig: Rig) => `
import { appendFileSync, existsSync } from 'node:fs'
import { resource, onDispose } from ${JSON.stringify(framework)}
const note = (what) => appendFileSync(${JSON.stringify(join(rig.root, 'notes.txt'))}, what + '\\n')
const released = () => existsSync(${JSON.stringify(join(rig.root, 'notes.txt.released'))})
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
`

/** A source with `events/message.ts` and these files of `resources/`. Files import each other as `./db.mjs`. */
export function sourceWith(rig: Rig, handler: string, resources: Readonly<Record<string, string>>): BotSource {
  const source = rig.source(`${head(rig)}${handler}`)
  const folder = dirname(Object.values(source.modules)[0]!)
  const files = Object.keys(resources).map(
    (name) => [name, `resources/${name}.ts`, join(folder, `${name}.mjs`)] as const,
  )
  for (const [name, , path] of files) writeFileSync(path, `${head(rig)}${resources[name]}`)
  return {
    ...source,
    manifest: {
      entries: [
        ...source.manifest.entries,
        ...files.map(([name, file]) => ({ kind: 'resource' as const, name, file })),
      ],
    },
    modules: { ...source.modules, ...Object.fromEntries(files.map(([, file, path]) => [file, path])) },
  }
}

/** A resource that notes when it opens and closes. */
export const noted = (name: string, imports = ''): string => `${imports}
export default resource({
  open: async () => { await sleep(2); note('open ${name}'); return '${name}' },
  close: async (value) => { await sleep(2); note('close ' + value) },
})`
