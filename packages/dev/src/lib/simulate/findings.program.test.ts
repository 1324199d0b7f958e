import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import type { Finding } from './finding.ts'

async function findings(files: Record<string, string>, ...options: string[]): Promise<Finding[]> {
  await using draft = await BotDraft.make(files)
  const { stdout } = await draft.framework(['simulate', '--json', ...options])
  return (JSON.parse(stdout) as { findings: Finding[] }).findings
}

const toolbox = {
  'state/loans.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'channel', initial: [] as string[] })
`,
  'tasks/overdue.ts': `import { task } from '@botwright/framework'
export default task({ run: () => {} })
`,
  'commands/borrow.ts': `import { command, text } from '@botwright/framework'
import loans from '../state/loans.ts'
export default command({
  description: 'Borrows a tool',
  args: { tool: text({ max: 40 }) },
  run: async (ctx) => {
    await loans.of(ctx).update((had) => [...had, ctx.args.tool])
    void ctx.schedule('overdue', { in: '3 days' })
    return 'Borrowed.'
  },
})
`,
  'commands/hello.ts': `export const description = 'Greets'
export default () => 'Hello.'
`,
}

test('finds a scheduled run whose promise no code awaits', { tags: 'all/seeds' }, async () => {
  const found = await findings(toolbox, '--seeds', '16', '--faults', 'store')
  expect(found).toMatchObject([{ kind: 'unawaited', file: 'commands/borrow.ts', line: 8 }])
})

test('an invariant names the write of a state that it reads, or its own line', { tags: 'all/seeds' }, async () => {
  const declared = `import { invariant } from '@botwright/testing/simulation'
invariant('few loans', (bot) => bot.state<string[]>('loans').every(({ value }) => value.length < 2))
invariant(
  'few greetings', (bot) => bot.messages.filter(({ content }) => content === 'Hello.').length < 3)
`
  const found = await findings({ ...toolbox, 'simulate.ts': declared }, '--seeds', '8', '--faults', 'none')
  expect(found).toContainEqual(
    expect.objectContaining({
      file: 'commands/borrow.ts',
      line: 7,
      text: '"few loans" does not hold; simulate.ts:2 declares it',
    }),
  )
  expect(found).toContainEqual(
    expect.objectContaining({ file: 'simulate.ts', line: 3, text: '"few greetings" does not hold' }),
  )
})

test('bot.clock is the clock of the bot, which faults move, unlike bot.now', { tags: 'all/seeds' }, async () => {
  const declared = `import { invariant } from '@botwright/testing/simulation'
invariant('clocks agree', (bot) => bot.clock.now() === bot.now.getTime())
`
  const files = { ...toolbox, 'simulate.ts': declared }
  expect(await findings(files, '--seeds', '6', '--faults', 'clock')).toMatchObject([{ file: 'simulate.ts', line: 2 }])
  expect(await findings(files, '--seeds', '6', '--faults', 'none')).toEqual([])
})

test(
  'finds the button that no file handles where it is made, and its steps end there',
  { tags: 'all/seeds' },
  async () => {
    const found = await findings(
      {
        'lib/ui/tea.ts': `import { row } from '@botwright/framework'
export const tea = () => row({ type: 'button', style: 'primary', label: 'Tea', custom_id: 'order' })
`,
        'commands/order.ts': `import { tea } from '../lib/ui/tea.ts'
export const description = 'order'
export default () => ({ content: 'Which one?', components: [tea()] })
`,
      },
      ...['--seeds', '8', '--faults', 'none'],
    )
    expect(found).toMatchObject([{ kind: 'button', file: 'lib/ui/tea.ts', line: 2 }])
    const steps = found[0]!.steps.filter((step) => !step.includes('   bot: '))
    expect(steps.at(-1)).toContain('clicks [Tea]')
    expect(steps).toHaveLength(2)
  },
)

test('a click names the place of its button', { tags: 'all/seeds' }, async () => {
  const found = await findings(
    {
      'commands/loan.ts': `import { command, row, serverOnly } from '@botwright/framework'
export default command({
  description: 'Asks in a direct message',
  guards: [serverOnly()],
  run: async (ctx) => {
    const components = [row({ type: 'button', style: 'primary', label: 'Longer', custom_id: 'longer' })]
    await ctx.dm(ctx.user.id, { content: 'Do you need it longer?', components })
  },
})
`,
    },
    ...['--seeds', '8', '--faults', 'none'],
  )
  const [one] = found.filter(({ kind }) => kind === 'button')
  expect(one).toMatchObject({ file: 'commands/loan.ts', line: 6 })
  expect(one!.steps.filter((step) => step.includes('clicks [Longer]'))).toEqual([
    expect.stringContaining(' in direct messages: clicks [Longer]'),
  ])
  // The person was in the channel of the command.
  expect(JSON.stringify(one!.play)).not.toContain('"place":"dm"')
})
