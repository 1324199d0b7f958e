import type { CommandHelp } from '@botwright/service/people'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const paint = (most: number) => `
  import { boolean, command, integer, oneOf, rest } from '@botwright/framework'
  export default command({
    description: 'Paints a wall',
    aliases: ['p'],
    args: { color: oneOf('red', 'green').describe('Of the wall'), coats: integer({ min: 1, max: ${most} }).default(2), gloss: boolean() },
    run: () => 'done',
  })`

test('the page receives the arguments of commands, again after each reload', async () => {
  await using draft = await BotDraft.make({
    'commands/wall/paint.ts': paint(5),
    'commands/secret.ts': `
      import { command } from '@botwright/framework'
      export default command({ description: 'Hidden', hidden: true, run: () => 'hidden' })`,
  })
  const dev = await startDev(draft)
  const { output } = dev
  try {
    await expect.poll(output).toContain('Chat')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
    const published = async (): Promise<CommandHelp[]> => {
      const { servers } = await ann.api.me.get()
      const { bots } = await ann.api.servers.get({ server_id: servers[0]!.id })
      return bots[0]!.help
    }
    const help = (max: number) => [
      {
        name: 'wall paint',
        description: 'Paints a wall',
        aliases: ['wall p'],
        usage: '<red|green> [coats=2] [--gloss]',
        args: [
          { name: 'color', takes: 'word', choices: ['red', 'green'], expects: 'red or green', about: 'Of the wall' },
          {
            name: 'coats',
            takes: 'word',
            number: { whole: true, min: 1, max },
            expects: `a whole number from 1 to ${max}`,
            default: '2',
            optional: true,
          },
          { name: '--gloss', takes: 'flag', expects: 'a switch', optional: true },
        ],
        examples: [],
      },
    ]
    await expect.poll(published).toEqual(help(5))
    await draft.write({ 'commands/wall/paint.ts': paint(9) })
    await expect.poll(published).toEqual(help(9))
  } finally {
    await stop(dev)
  }
})

test('a command with long texts does not hide the others: the page receives their beginnings', slow, async () => {
  const places = Array.from({ length: 150 }, (_, i) => `a place with a long name ${i}`)
  await using draft = await BotDraft.make({
    'commands/wall/paint.ts': paint(5),
    'commands/travel.ts': `
      import { command, oneOf } from '@botwright/framework'
      export default command({
        description: 'Travels. '.repeat(200),
        args: { to: oneOf(...${JSON.stringify(places)}).describe('Where to. '.repeat(200)) },
        examples: Array.from({ length: 30 }, (_, i) => '"a place with a long name ' + i + '"'),
        run: () => 'done',
      })`,
  })
  const dev = await startDev(draft)
  const { output } = dev
  try {
    await expect.poll(output).toContain('Chat')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
    const published = async () => {
      const { servers } = await ann.api.me.get()
      const { bots } = await ann.api.servers.get({ server_id: servers[0]!.id })
      return bots[0]!.help.map(({ name, args, examples }) => [name, args[0]!.choices?.length, examples.length])
    }
    await expect.poll(published).toEqual([
      ['travel', 150, 20],
      ['wall paint', 2, 0],
    ])
    expect(output()).not.toContain('the page cannot complete')
  } finally {
    await stop(dev)
  }
})
