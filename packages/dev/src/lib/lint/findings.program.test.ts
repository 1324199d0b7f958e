import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

const code = `import { command } from '@botwright/framework'
import { randomUUID } from 'node:crypto'

interface Booking { id: string; at: number }
const loadedMs: number = Date.now()
const unused = Math.random()

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
const book = async (): Promise<Booking> => ({ id: randomUUID(), at: Date.now() })
export const other = () => fetch('https://example.com/unused')

export default command({
  description: 'x',
  durable: true,
  run: async (ctx) => {
    const today = new Date().toISOString()
    const later = new Date(ctx.now() + loadedMs)
    if (Math.random() < 0.5) await pause(10)
    const { id } = await ctx.step('book', book)
    await ctx.step('ask', async () => (await fetch('https://example.com')).status)
    await ctx.once('note', () => crypto.randomUUID())
    const { status } = await globalThis.fetch('https://example.com')
    const own = { fetch: 1, random: () => 2 }
    return [today, later, id, status, own.fetch, own.random(), crypto.randomUUID()].join()
  },
})
`

test('framework check warns about code that differs when a durable handler runs again', async () => {
  await using draft = await BotDraft.make({
    'commands/go.ts': code,
    'commands/plain.ts': "export const description = 'x'\nexport default () => String(Date.now())\n",
    'commands/script.js': `import { command } from '@botwright/framework'
export default command({ description: 'x', durable: true, run: (ctx) => String(Date()) })
`,
  })
  const { code: exit, stdout } = await draft.framework(['check', '--json'])
  const { warnings, problems } = JSON.parse(stdout) as { warnings: string[]; problems: unknown[] }
  expect(problems).toEqual([])
  expect(exit).toBe(0)
  const text = (at: string, name: string, fix: string) =>
    `commands/${at}: ${name} differs, or acts again, when the durable handler runs again; ${fix}`
  expect(warnings).toEqual([
    text('go.ts:5:26', 'Date.now()', 'use ctx.now()'),
    text('go.ts:9:34', 'setTimeout()', 'use ctx.sleep'),
    text('go.ts:18:19', 'new Date()', 'use new Date(ctx.now())'),
    text('go.ts:20:9', 'Math.random()', 'use ctx.random()'),
    text('go.ts:24:30', 'fetch()', 'put it into ctx.step'),
    text('go.ts:26:64', 'crypto.randomUUID()', 'use ctx.uuid()'),
    text('script.js:2:80', 'Date()', 'use ctx.now()'),
  ])
})

test('the last line of framework check counts the warnings, and mentions none if there are none', async () => {
  await using draft = await BotDraft.make({
    'state/hugs.ts':
      "import { state } from '@botwright/framework'\nexport default state({ scope: 'user', initial: 0 })\n",
    'commands/hug.ts': `import { command } from '@botwright/framework'
import hugs from '../state/hugs.ts'
export default command({
  description: 'x',
  run: (ctx) => {
    hugs.of(ctx).update((before) => before + 1)
    ctx.reply('a')
  },
})
`,
  })
  const warned = await draft.framework(['check'])
  expect(warned.stdout).toContain('commands/hug.ts:6:5: nothing waits for hugs.of(ctx).update(): write await before it')
  expect(warned.stdout).toMatch(/\n✓ 2 handlers, no problems, 2 warnings {2}\d[^\n]*\n$/)
  expect(warned.code).toBe(0)
  await draft.write({ 'commands/hug.ts': "export const description = 'x'\nexport default () => 'a'\n" })
  expect((await draft.framework(['check'])).stdout).toMatch(/\n?✓ 2 handlers, no problems {2}\d[^\n]*\n$/)
})
