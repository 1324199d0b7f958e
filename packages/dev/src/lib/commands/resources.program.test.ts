import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

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
