import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { id, message, start } from '../../tests/loaded-bot.test.fixture.ts'

test('reports each invalid user of a list, without unhandled rejections of other lookups', async () => {
  const rejected: unknown[] = []
  const note = (reason: unknown) => void rejected.push(reason)
  process.on('unhandledRejection', note)
  const calls: [string, Record<string, unknown>][] = []
  const { bot } = await start(
    {
      'commands/team.ts': `import { command, list, user } from 'botwright'
export default command({ description: 'Team', args: { who: list(user()) }, run: () => 'made' })`,
    },
    {},
    {
      call: (async (name: string, input: Record<string, unknown>) => {
        calls.push([name, input])
        return name === 'members.list' ? { members: [] } : { id: id(1) }
      }) as unknown as Call,
    },
  )
  await bot.handle(message({ command: 'team', args: 'nobody everyone' }))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(String(calls.at(-1)![1]['content'])).toMatch(/^who \(item 2\) must be a person: mention one, or type a name\n/)
  expect(rejected).toEqual([])
})
