import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const inAll = { tags: 'all/commands' } as const

const matching = (options: string) =>
  `import { event, mentioned, serverOnly } from '@botwright/framework'\nexport default event('message', { ${options}, run: () => 'yes' })\n`

test(
  'framework check and build refuse a pattern that a text can make slow, and accept a quadratic one',
  inAll,
  async () => {
    await using draft = await BotDraft.make({
      'events/message/slow.ts': matching('match: /^(\\w+\\s?)*$/'),
      'events/message/quadratic.ts': matching('match: /[^a-z]+$/'),
      'events/message/short.ts': matching("match: 'BUG-\\\\d'"),
    })
    const { code, stdout } = await draft.framework(['check', '--json'])
    const { problems } = JSON.parse(stdout) as { problems: { text: string }[] }
    expect(code).toBe(1)
    expect(problems.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /match \/\^\(\\w\+\\s\?\)\*\$\/ can block the bot \(exponential, for instance on .*\); repeat less in it$/s,
      ),
    ])
    const built = await draft.framework(['build'])
    expect([built.code, built.stdout]).toEqual([1, expect.stringContaining('can block the bot (exponential')])
  },
)

test('framework check refuses counted repetitions of repetitions that a text can make slow', inAll, async () => {
  await using draft = await BotDraft.make({
    'events/message/address.ts': matching('match: /^(\\d{1,3}\\.){3}\\d{1,3}$/'),
    'events/message/range.ts': matching('match: /.{0,100}foo.{0,100}bar/'),
    'events/message/slow.ts': matching('match: /^(?:\\w{1,20}\\s?){1,20}!$/'),
  })
  const { problems } = JSON.parse((await draft.framework(['check', '--json'])).stdout) as {
    problems: { text: string }[]
  }
  expect(problems.map(({ text }) => text)).toEqual([
    expect.stringContaining('match /^(?:\\w{1,20}\\s?){1,20}!$/ can block the bot (exponential'),
  ])
})

test('framework routes shows when each file of an event runs, and framework add writes one of several', async () => {
  await using draft = await BotDraft.make({
    'events/message/bug.ts': matching('match: /BUG/, when: mentioned(), guards: [serverOnly()]'),
    'events/message/else.ts': matching('otherwise: true'),
  })
  const routes = await draft.framework(['routes'])
  expect(routes.stdout).toContain('only for texts that match /BUG/, for messages that mention the bot, in servers')
  expect(routes.stdout).toContain('only if no other file of this event runs')
  const added = await draft.framework(['add', 'event', 'message/hello'])
  expect(added.stdout).toContain('events/message/hello.ts  runs on message')
  expect(await readFile(join(draft.root, 'events/message/hello.ts'), 'utf8')).toContain('match: /^hello\\b/i')
  const unknown = await draft.framework(['add', 'event', 'mesage/hello'])
  expect(unknown.stderr + unknown.stdout).toContain(
    'events/mesage/hello.ts: there is no event "mesage"; rename it to message/',
  )
  const { code, stdout } = await draft.framework(['check', '--json'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('"handlers": 3')])
})
