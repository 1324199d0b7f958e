import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft, templateFolder } from '../bot-folder.test.fixture.ts'
import { typesText } from './types-text.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/commands' } as const

const bot = {
  'bot.config.ts': `import { defineConfig } from '@botwright/framework'
import { z } from 'zod'
export default defineConfig({ env: z.object({ API_KEY: z.string(), MOST: z.coerce.number().default(3) }) })
`,
  'buttons/poll/vote.ts': `import { button, boolean, oneOf } from '@botwright/framework'
export default button({ params: { choice: oneOf('yes', 'no'), again: boolean().optional() }, run: (ctx) => ctx.params.choice })
`,
  'buttons/close.ts': `import { button, row } from '@botwright/framework'
export default button({ run: (ctx) => ({ content: 'closed', components: [row(ctx.button('poll/vote', { choice: 'no' }, { label: 'No' }))] }) })
`,
  'state/points.ts': `import { state } from '@botwright/framework'
export default state({ scope: 'user', initial: 0 })
`,
  'tasks/remind.ts': `import { task } from '@botwright/framework'
export default task<{ text: string; again: boolean }>({
  run: async (ctx) => {
    if (ctx.payload.again) await ctx.schedule('remind', { in: '1d' }, ctx.payload)
    for (const { payload } of await ctx.scheduled('remind')) ctx.log.info({}, payload.text)
  },
})
`,
  'tasks/daily.ts': `import { task } from '@botwright/framework'
import { z } from 'zod'
export default task({
  cron: '0 9 * * *',
  payload: z.object({ text: z.string() }).optional(),
  run: async (ctx) => {
    await ctx.schedule('daily', { in: '1m' }, ctx.payload)
    await ctx.state.for({ user_id: 'x' }).user.update('points', (points) => points + 1)
  },
})
`,
  'commands/later.ts': `import { command } from '@botwright/framework'
export default command({
  description: 'Later',
  run: async (ctx) => {
    await ctx.schedule('remind', { in: '2h' }, { text: 'x', again: false })
    await ctx.schedule('daily', { in: '2h' })
    return (await ctx.state.user.get('points')).toFixed()
  },
})
`,
  'commands/ask.ts': `import { command, row } from '@botwright/framework'
export default command({
  description: 'Asks',
  run: (ctx) => ({
    content: ctx.env.API_KEY.slice(ctx.env.MOST),
    components: [row(ctx.button('poll/vote', { choice: 'yes' }, { label: 'Yes' }), ctx.button('close', { label: 'Close' }))],
  }),
})
`,
}

const wrong = `import { command, type CommandName } from '@botwright/framework'
export const other: CommandName = 'aks'
export default command({
  description: 'Wrong',
  run: (ctx) => {
    ctx.button('pol/vote', { choice: 'yes' }, { label: 'x' })
    ctx.button('poll/vote', { choice: 'maybe' }, { label: 'x' })
    ctx.button('close', { choice: 'yes' }, { label: 'x' })
    return ctx.env.API_KY
  },
})
`

const wrongKept = `import { command } from '@botwright/framework'
export default command({
  description: 'Wrong',
  run: async (ctx) => {
    await ctx.schedule('remnd', { in: '2h' }, { text: 'x', again: false })
    await ctx.schedule('remind', { in: '2h' }, { text: 1, again: false })
    await ctx.schedule('remind', { in: '2h' })
    await ctx.state.user.set('points', 'many')
    return (await ctx.state.user.get('points')).trim()
  },
})
`

test(
  'an unknown name does not compile, and the message lists the known ones',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make(bot)
    await draft.write({ 'tsconfig.json': await readFile(join(templateFolder, 'tsconfig.json'), 'utf8') })
    await draft.write({ 'commands/wrong.ts': wrong, 'commands/wrong-kept.ts': wrongKept })
    const { code, stdout } = await draft.framework(['check', '--json'])
    expect(code).toBe(1)
    const { problems } = JSON.parse(stdout) as { problems: { file: string; line: number; text: string }[] }
    expect(problems.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([
      expect.stringMatching(
        /^commands\/wrong-kept\.ts:5 .*'"remnd"' is not assignable to parameter of type '"daily" \| "remind"'/,
      ),
      expect.stringMatching(/:6 .*Type 'number' is not assignable to type 'string'/),
      expect.stringMatching(/:7 .*Expected 3 arguments, but got 2/),
      expect.stringMatching(/:8 .*Argument of type 'string' is not assignable to parameter of type 'number'/),
      expect.stringMatching(/:9 .*Property 'trim' does not exist on type 'number'/),
      expect.stringMatching(
        /^commands\/wrong\.ts:2 .*Type '"aks"' is not assignable to type '"ask" \| "later" \| "wrong"/,
      ),
      expect.stringMatching(
        /:6 .*Argument of type '"pol\/vote"' is not assignable to parameter of type '"close" \| "poll\/vote"'/,
      ),
      expect.stringMatching(/:7 .*Type '"maybe"' is not assignable to type '"no" \| "yes"'/),
      expect.stringMatching(/:8 .*Expected 2 arguments, but got 3/),
      expect.stringMatching(/:9 .*Property 'API_KY' does not exist on type .*Did you mean 'API_KEY'\?/),
    ])
  },
)

test('without a configuration the compiler names the place to declare variables', () => {
  const text = typesText({ definitions: [], envFile: undefined })
  expect(text).toContain('env: NoEnvInBotConfig')
  expect(text).toContain('commands: never')
})

test('optional params are optional by name too', () => {
  const params = { 'note?': 'string', at: 'Date' }
  const text = typesText({
    definitions: [{ kind: 'button', name: 'a/b', file: 'buttons/a/b.ts', params }],
    envFile: undefined,
  })
  expect(text).toContain("'a/b': { note?: string | undefined; at: Date }")
})

test('the file is written only if its content changes', slow, async () => {
  await using draft = await BotDraft.make({ ...bot, 'tsconfig.json': '{"compilerOptions":{"strict":true}}' })
  expect((await draft.framework(['types'])).stdout).toBe('✓ .framework/types.d.ts was written\n')
  expect((await draft.framework(['types'])).stdout).toBe('✓ .framework/types.d.ts is up to date\n')
})
