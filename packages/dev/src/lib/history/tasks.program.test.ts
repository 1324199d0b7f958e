// @module-tag all/commands
import { join } from 'node:path'
import { readBuild, startBot } from '@botwright/framework/start'
import { readConfig } from '@botwright/framework'
import type { Timeline } from '@botwright/protocol/timeline'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { eventually } from '../program.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const token = 'token-of-the-tasks'

const files = {
  'bot.config.ts': 'export default { record: true }',
  'tasks/tea.ts': `export default () => {
  throw new Error('no tea')
}
`,
  'tasks/milk.ts': 'export default () => undefined',
  'commands/brew.ts': `export default async (ctx) => {
    for (const name of ['tea', 'milk']) await ctx.schedule(name, { in: 0 })
    return 'brewing'
  }`,
}

test('events and explain show runs of tasks with their errors and lines, and exit with 4', async () => {
  await using draft = await BotDraft.make(files)
  const framework = (...args: string[]) => draft.framework(args, { BOT_TOKEN: token, NO_COLOR: '1' })
  expect(await framework('build')).toMatchObject({ code: 0 })
  await using service = await startService({ port: 0, world: defaultWorld('helper', token) })
  const lines: string[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => void lines.push(message) }
  const bot = await startBot({
    ...{ source: readBuild(join(draft.root, 'dist'), draft.root).source, config: await readConfig({ record: true }) },
    ...{ token, log, baseUrl: service.base_url, stateDir: join(draft.root, '.botwright') },
  })
  const ann = await startPerson(service.url, 'ann')
  expect(await ann.answerTo('/brew')).toBe('brewing')
  await eventually(() => expect(lines).toEqual(['tasks/tea.ts:2: no tea']))
  await bot.stop()

  const listed = await framework('events', 'list', '--type', 'task')
  expect(listed.code).toBe(4)
  expect(listed.stdout).toMatch(/ task  task tea +tasks\/tea\.ts .*✘ {2}no tea$/m)
  expect(listed.stdout).toMatch(/ task  task milk +tasks\/milk\.ts .*✓$/m)
  expect((await framework('events', 'list')).code).toBe(0)

  const failed = await framework('explain', 'tea')
  expect(failed.code).toBe(4)
  expect(failed.stdout).toContain('task tea\nbegan 2')
  expect(failed.stdout).toContain('tasks/tea.ts:2  Error: no tea')
  expect(failed.stdout).toContain("  ▸ 2 │   throw new Error('no tea')")
  for (const one of ['tasks/milk', 'tasks/milk.ts']) expect(await framework('explain', one)).toMatchObject({ code: 0 })
  expect((JSON.parse((await framework('explain', 'last', '--json')).stdout) as Timeline).event.title).toBe('/brew')
  expect(await framework('explain', 'water')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no run of the task "water" is recorded') as unknown,
  })
  // A replay runs the command, but no task.
  expect((await framework('replay', '--since', '1h', '--dry', '--json')).stdout).not.toContain('tasks/')
})
