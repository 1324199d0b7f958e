import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { EmbedRig } from './embed-rig.test.fixture.ts'

const embed = new URL('../../../dist/joined/embed.js', import.meta.url).href
const run = (rig: EmbedRig, script: string, ...flags: string[]) => {
  const { root: cwd } = rig.rig
  writeFileSync(join(cwd, 'script.mjs'), script)
  return promisify(execFile)(process.execPath, [...flags, 'script.mjs'], { cwd, env: { ...process.env, ...rig.env } })
}

test('a thread that cannot begin does not end the program', { tags: 'all/processes' }, async () => {
  await using rig = await EmbedRig.start()
  const preload = "import { isMainThread } from 'node:worker_threads'\nif (!isMainThread) throw new Error('not here')"
  const script = `import { createBot } from '${embed}'
const bot = await createBot('.', { log: () => {} })
await bot.start().catch(({ message }) => console.log(message))
console.log('goes on')`
  const { stdout } = await run(rig, script, '--import', `data:text/javascript,${encodeURIComponent(preload)}`)
  expect(stdout).toBe('not here\ngoes on\n')
})

test('a program ends by itself once its bot has stopped', { tags: 'all/processes' }, async () => {
  await using rig = await EmbedRig.start()
  const script = `import { createBot } from '${embed}'
const bot = await createBot('.')
await bot.start()
await bot.stop()`
  const { stdout } = await run(rig, script)
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
      .at(-1),
  ).toBe('stopped')
})
