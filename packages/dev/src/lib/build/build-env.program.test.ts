import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'

const needs = (name: string) =>
  `if (!process.env.${name}) throw new Error('${name} is not set')\nexport default () => 'x'\n`

test(
  'check, build, routes and types load the modules with the variables of .env, and those of the environment before it',
  { tags: ['all/processes'] },
  async () => {
    await using draft = await BotDraft.make({
      '.env': 'DATABASE_URL=postgres://x\nPLACE=file\nBOT_TOKEN=t\n',
      'commands/db.ts': needs('DATABASE_URL'),
      'commands/place.ts': `if (process.env.PLACE !== 'shell') throw new Error(process.env.PLACE)\nexport default () => 'x'`,
      'bot.config.ts': `${needs('DATABASE_URL').split('\n')[0]}\nexport default {}`,
    })
    // The configuration is loaded by the program itself.
    for (const args of [['check'], ['build'], ['routes'], ['types'], ['info']]) {
      const { code, stdout, stderr } = await draft.process(args, { PLACE: 'shell' })
      expect(stdout + stderr).not.toContain('is not set')
      expect(code, args[0]).toBe(0)
    }
  },
)

test('without .env, as in CI, an error that names a variable has the fix', async () => {
  await using draft = await BotDraft.make({ 'commands/db.ts': needs('DATABASE_URL') })
  for (const name of ['check', 'build']) {
    const { code, stdout } = await draft.framework([name])
    expect(code).toBe(1)
    expect(stdout).toContain('commands/db.ts:1:38  DATABASE_URL is not set')
    expect(stdout).toContain(
      'DATABASE_URL is not set here, where each file of the bot is loaded: set it for this command too, as in .env, or read it in the handler',
    )
    expect((await draft.framework([name], { DATABASE_URL: 'x' })).code).toBe(0)
    if (name === 'build') await rm(join(draft.root, 'dist'), { recursive: true })
  }
})
