import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev } from '../dev-process.test.fixture.ts'
import { eventually, untilPrinted } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const files = {
  'commands/ping.js': `import { command } from '@botwright/framework'
import db from '../resources/db.js'
export default command({ description: 'Ping', run: () => db.value })`,
  'resources/db.js': `import { writeFileSync } from 'node:fs'
import { resource } from '@botwright/framework'
export default resource({
  open: () => {
    writeFileSync('opened', '')
    throw new Error('no database')
  },
})`,
}

test('check, routes, info and build open no resource, and routes lists them', async () => {
  await using draft = await BotDraft.make(files)
  const { code, stdout } = await draft.framework(['routes'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/\nResources 1\n {2}db +resources\/db\.js\n/)])
  expect(JSON.parse((await draft.framework(['info', '--json'])).stdout)).toMatchObject({ bot: { resource: 1 } })
  for (const command of ['check', 'build']) expect(await draft.framework([command])).toMatchObject({ code: 0 })
  expect(existsSync(join(draft.root, 'opened'))).toBe(false)
})

test('framework add resource writes a file that loads', async () => {
  await using draft = await BotDraft.make({
    'commands/ping.js': "export const description = 'Ping'\nexport default () => 'Pong'",
  })
  expect((await draft.framework(['add', 'resource', 'db'])).stdout).toContain('resources/db.js')
  expect(await draft.framework(['check'])).toMatchObject({ code: 0 })
  expect((await draft.framework(['add', 'resource', 'my db'])).stderr).toContain('framework add resource my-db')
})

test(
  'a save closes the old resource and opens the new one; one that does not open leaves the old code running',
  slow,
  async () => {
    await using draft = await BotDraft.make()
    const notes = `import { appendFileSync } from 'node:fs'
import { resource } from '@botwright/framework'
const note = (what) => appendFileSync(${JSON.stringify(join(draft.root, 'notes'))}, what + '\\n')`
    const db = (name: string) => `${notes}
export default resource({ open: () => (note('open ${name}'), '${name}'), close: () => note('close ${name}') })`
    await draft.write({ ...files, 'resources/db.js': db('one') })
    const read = () => readFileSync(join(draft.root, 'notes'), 'utf8').trim().split('\n')
    {
      await using dev = await startDev(draft)
      await untilPrinted(dev, '/ping')
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(dev.output())![0], 'ann')
      await draft.write({ 'resources/db.js': db('two') })
      await untilPrinted(dev, /↻ .*resources\/db\.js/)
      expect(await ann.answerTo('/ping')).toBe('two')
      await eventually(() => expect(read()).toEqual(['open one', 'open two', 'close one']))
      await draft.write({
        'resources/db.js': `${notes}\nexport default resource({\n  open: () => { throw new Error('no route to it') },\n})`,
      })
      await untilPrinted(dev, 'open failed: no route to it')
      expect(dev.output()).toMatch(/resources\/db\.js:5/)
      expect(await ann.answerTo('/ping')).toBe('two')
    }
    expect(read()).toEqual(['open one', 'open two', 'close one', 'close two'])
  },
)
