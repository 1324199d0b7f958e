import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft, templateFolder } from '../bot-folder.test.fixture.ts'
import { typesText } from './types-text.ts'

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

test('a name that no file has does not compile, and the message tells what there is', { timeout: 90_000 }, async () => {
  await using draft = await BotDraft.make(bot)
  await draft.write({ 'tsconfig.json': await readFile(join(templateFolder, 'tsconfig.json'), 'utf8') })
  await draft.write({ 'commands/wrong.ts': wrong })
  const { code, stdout } = await draft.framework(['check', '--json'])
  expect(code).toBe(1)
  const { problems } = JSON.parse(stdout) as { problems: { file: string; line: number; text: string }[] }
  expect(problems.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([
    expect.stringMatching(/^commands\/wrong\.ts:2 .*Type '"aks"' is not assignable to type '"ask" \| "wrong"'/),
    expect.stringMatching(
      /:6 .*Argument of type '"pol\/vote"' is not assignable to parameter of type '"close" \| "poll\/vote"'/,
    ),
    expect.stringMatching(/:7 .*Type '"maybe"' is not assignable to type '"yes" \| "no"'/),
    expect.stringMatching(/:8 .*Expected 2 arguments, but got 3/),
    expect.stringMatching(/:9 .*Property 'API_KY' does not exist on type .*Did you mean 'API_KEY'\?/),
  ])
})

test('without a configuration the compiler says where variables are declared', () => {
  const text = typesText({ definitions: [], envFile: undefined })
  expect(text).toContain('env: NoEnvInBotConfig')
  expect(text).toContain('commands: never')
})

test('what may be left out may be left out by name too', () => {
  const params = { 'note?': 'string', at: 'Date' }
  const text = typesText({
    definitions: [{ kind: 'button', name: 'a/b', file: 'buttons/a/b.ts', params }],
    envFile: undefined,
  })
  expect(text).toContain("'a/b': { note?: string | undefined; at: Date }")
})

test('the file is written again only when it would say something else', async () => {
  await using draft = await BotDraft.make({ ...bot, 'tsconfig.json': '{"compilerOptions":{"strict":true}}' })
  expect((await draft.framework(['types'])).stdout).toBe('✓ .framework/types.d.ts is written\n')
  expect((await draft.framework(['types'])).stdout).toBe('✓ .framework/types.d.ts says what the files say\n')
})
