/** A small bot with one fault, and where `framework simulate` must find it. */
export interface PlantedBot {
  name: string
  /** The kinds of findings that name the fault. */
  kinds: readonly string[]
  /** Its file and lines. */
  at: RegExp
  files: Readonly<Record<string, string>>
}

const money = `import { invariant } from '@botwright/testing/simulation'

invariant('money is neither made nor lost', (bot) => {
  const purses = bot.state<number>('purse')
  const total = purses.reduce((sum, { value }) => sum + value - 100, 0)
  return total === 0 || \`\${total} coins too many\`
})
`

/** Ten bots with faults of ten kinds. */
export const plantedBots: readonly PlantedBot[] = [
  {
    name: 'a reply over 2,000 characters',
    kinds: ['error', 'refused'],
    at: /^commands\/echo\.ts:[5-7]$/,
    files: {
      'commands/echo.ts': `import { command, rest } from '@botwright/framework'
export default command({
  description: 'Repeats a text',
  args: { text: rest() },
  run: async (ctx) => {
    const { text } = ctx.args
    await ctx.reply(\`You wrote: \${text}. Backwards: \${[...text].reverse().join('')}\`)
  },
})
`,
    },
  },
  {
    name: 'a button that no file handles',
    kinds: ['button'],
    at: /^commands\/menu\.ts:6$/,
    files: {
      'commands/menu.ts': `import { command, row } from '@botwright/framework'
export default command({
  description: 'Shows the menu',
  run: () => ({
    content: 'What do you want?',
    components: [row({ type: 'button', style: 'primary', label: 'Tea', custom_id: 'order-tea' })],
  }),
})
`,
    },
  },
  {
    name: 'state that two people share by mistake',
    kinds: ['others', 'at_once'],
    at: /^commands\/(draft|show)\.ts:\d+$|^lib\/draft\.ts:1$/,
    files: {
      'lib/draft.ts': `export const draft = { text: '' }
`,
      'commands/draft.ts': `import { command, rest } from '@botwright/framework'
import { draft } from '../lib/draft.ts'
export default command({
  description: 'Keeps your draft',
  args: { text: rest({ max: 200 }) },
  run: (ctx) => {
    draft.text = ctx.args.text
    return 'Kept.'
  },
})
`,
      'commands/show.ts': `import { command } from '@botwright/framework'
import { draft } from '../lib/draft.ts'
export default command({ description: 'Shows your draft', run: () => (draft.text === '' ? 'No draft.' : \`Your draft: \${draft.text}\`) })
`,
    },
  },
  {
    name: 'a missing await',
    kinds: ['unawaited'],
    at: /^commands\/note\.ts:7$/,
    files: {
      'state/notes.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'user', initial: [] as string[] })
`,
      'commands/note.ts': `import { command, rest } from '@botwright/framework'
import notes from '../state/notes.ts'
export default command({
  description: 'Stores a note',
  args: { text: rest({ max: 200 }) },
  run: (ctx) => {
    void notes.of(ctx).update((all) => [...all, ctx.args.text].slice(-5))
    return 'Stored.'
  },
})
`,
    },
  },
  {
    name: 'a crash between two writes',
    kinds: ['invariant'],
    at: /^commands\/pay\.ts:1[0-2]$/,
    files: {
      'simulate.ts': money,
      'state/purse.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'user', initial: 100 })
`,
      'commands/pay.ts': `import { command, integer, user } from '@botwright/framework'
import purse from '../state/purse.ts'
export default command({
  description: 'Gives coins to another person',
  args: { to: user(), coins: integer({ min: 1, max: 50 }) },
  run: async (ctx) => {
    const { to, coins } = ctx.args
    if (to === ctx.user.id || (await purse.of(ctx).get()) < coins) return 'That does not work.'
    // An event that runs again after a crash must not pay twice.
    if (ctx.redelivered) return 'I was interrupted. Look at your purse.'
    await purse.of(ctx).update((had) => had - coins)
    await purse.of(ctx, { user_id: to }).update((had) => had + coins)
    return \`You gave \${coins} coins.\`
  },
})
`,
    },
  },
  {
    name: 'a question that two people can answer',
    kinds: ['answered_by_other'],
    at: /^commands\/delete\.ts:4$/,
    files: {
      'commands/delete.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Deletes all your notes',
  run: async (ctx) => ((await ctx.choose('Really delete all your notes?', ['Delete', 'Keep'], { by: 'anyone' })) === 'Delete' ? 'Deleted.' : 'Kept.'),
})
`,
    },
  },
  {
    name: 'a time zone',
    kinds: ['time_zone'],
    at: /^commands\/open\.ts:[45]$/,
    files: {
      'commands/open.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Shows whether the shop is open',
  run: (ctx) => {
    const hour = new Date(ctx.clock.now()).getHours()
    return hour >= 9 && hour < 18 ? 'The shop is open.' : 'The shop is closed.'
  },
})
`,
    },
  },
  {
    name: 'an unhandled refusal',
    kinds: ['refused'],
    at: /^commands\/rename\.ts:6$/,
    files: {
      'commands/rename.ts': `import { command, serverOnly, text, user } from '@botwright/framework'
export default command({
  description: 'Mutes a person for five minutes',
  guards: [serverOnly()],
  args: { who: user(), reason: text({ max: 100 }).default('') },
  run: async (ctx) => void (await ctx.api.moderation.timeout({ server_id: ctx.server_id, user_id: ctx.args.who, minutes: 5 })),
})
`,
    },
  },
  {
    name: 'a cooldown that a restart resets',
    kinds: ['restart'],
    at: /^commands\/daily\.ts:3$/,
    files: {
      'state/coins.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'user', initial: 0 })
`,
      'commands/daily.ts': `import { command } from '@botwright/framework'
import coins from '../state/coins.ts'
const last = new Map<string, number>()
export default command({
  description: 'Gives you ten coins a day',
  run: async (ctx) => {
    const now = ctx.clock.now()
    if (now - (last.get(ctx.user.id) ?? -Infinity) < 86_400_000) return 'Come back tomorrow.'
    last.set(ctx.user.id, now)
    return \`You have \${await coins.of(ctx).update((had) => had + 10)} coins.\`
  },
})
`,
    },
  },
  {
    name: 'a page number that runs over',
    kinds: ['error'],
    at: /^lib\/page\.ts:[56]$/,
    files: {
      'lib/page.ts': `import { row } from '@botwright/framework'
import turn from '../buttons/turn.ts'
const pages = [['tea', 'coffee'], ['juice', 'water'], ['milk']]
export const page = (number: number) => ({
  content: \`Page \${number + 1}: \${pages[number]!.join(', ')}\`,
  components: [row(turn.button({ to: number + 1 }, { label: 'Next' }))],
})
`,
      'commands/menu.ts': `import { command } from '@botwright/framework'
import { page } from '../lib/page.ts'
export default command({ description: 'Shows the menu', run: () => page(0) })
`,
      'buttons/turn.ts': `import { button, integer } from '@botwright/framework'
import { page } from '../lib/page.ts'
export default button({ params: { to: integer({ min: 0, max: 100 }) }, run: (ctx) => ctx.update(page(ctx.params.to)) })
`,
    },
  },
]
