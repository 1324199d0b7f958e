import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { testVariables } from './test-variables.ts'

const zod = JSON.stringify(import.meta.resolve('zod'))

test('a saved test has a sample of each variable that has no default', async () => {
  await using draft = await BotDraft.make({
    'bot.config.ts': `import * as z from ${zod}
      export default { env: z.object({
        WEATHER_KEY: z.string().min(3), PORT: z.coerce.number(), URL_OF_SITE: z.url(), MODE: z.enum(['dark']),
        REGION: z.string().default('eu'), NOTE: z.string().optional(),
      }) }`,
    '.env': 'WEATHER_KEY=secret-key',
  })
  expect(await testVariables(draft.root, {})).toEqual({
    WEATHER_KEY: 'test',
    PORT: '1',
    URL_OF_SITE: 'https://example.com',
    MODE: '',
  })
  await using plain = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'" })
  expect(await testVariables(plain.root, {})).toEqual({})
})
