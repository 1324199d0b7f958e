import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Rig } from '../../tests/dispatcher-rig.test.fixture.ts'
import type { BotSource } from '../../link/ports.ts'

// Several files of one event in a worker: one of them ends or blocks the thread.

function sourceOf(rig: Rig, files: Record<string, string>): BotSource {
  const modules: Record<string, string> = {}
  const notes = JSON.stringify(join(rig.root, 'notes.txt'))
  const header = `import { appendFileSync } from 'node:fs'\nconst note = (text) => appendFileSync(${notes}, text + '\\n')\n`
  for (const [name, code] of Object.entries(files)) {
    const path = join(rig.root, `${name}.mjs`)
    writeFileSync(path, `${header}export default ${code}`)
    modules[`events/message/${name}.ts`] = path
  }
  const entries = Object.keys(modules).map((file) => ({ kind: 'event' as const, name: 'message', file }))
  return { manifest: { entries }, root: rig.root, modules }
}

test.each([
  ['ends its thread', "(ctx) => { note('b'); if (!ctx.redelivered) process.exit(3) }"],
  ['blocks its thread', "(ctx) => { note('b'); while (!ctx.redelivered); }"],
])('a file that %s runs again, and the file before it does not', async (_how, second) => {
  await using rig = new Rig('worker', { blockSeconds: 1 })
  await rig.dispatcher.replace(sourceOf(rig, { a: "() => note('a')", b: second, c: "async () => note('c')" }))
  await rig.say(1, 'hello')
  expect(rig.notes).toEqual(['a', 'b', 'b', 'c'])
  expect(rig.logged('error')[0]).toContain('events/message/a.ts, events/message/b.ts, events/message/c.ts: ')
})
