import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultWorld, startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startProduction } from '../production.test.fixture.ts'

const files = {
  'bot.config.ts': `import { defineConfig } from '@botwright/framework'
import { z } from 'zod'
export default defineConfig({ env: z.object({ MOOD: z.string().default('fine') }) })`,
  'commands/ping.ts':
    "import { z } from 'zod'\nimport { join } from 'node:path'\nexport default () => join(z.string().parse('pong'))",
  'commands/typed.ts': "import type { z } from 'zod/v4'\nexport default () => 'ok' satisfies z.infer<z.ZodString>",
}

const packageJson = (lists: object) => JSON.stringify({ type: 'module', ...lists })
const framework = { '@botwright/framework': '0.1.0' }
const missing =
  'bot.config.ts: the package "zod" is not in dependencies of package.json, so a production install leaves it out: npm install zod'

test('check and build warn about packages that a production install leaves out, once each', async () => {
  await using draft = await BotDraft.make({ ...files, 'package.json': packageJson({ dependencies: framework }) })
  for (const command of ['check', 'build']) {
    const { code, stdout } = await draft.framework([command])
    expect(stdout.split(`! ${missing}\n`), stdout).toHaveLength(2)
    expect(code).toBe(0)
  }
  await draft.write({ 'package.json': packageJson({ dependencies: framework, devDependencies: { zod: '4' } }) })
  expect((await draft.framework(['build'])).stdout).toContain(
    '! bot.config.ts: the package "zod" is in devDependencies of package.json, so a production install leaves it out: npm install --save-prod zod\n',
  )
})

test.each<[what: string, lists: object, more?: Record<string, string>]>([
  ['of the bot', { dependencies: { ...framework, zod: '4' } }],
  ['that are optional', { dependencies: framework, optionalDependencies: { zod: '4' } }],
  [
    'of types alone',
    { dependencies: framework },
    {
      'bot.config.ts': 'export default {}',
      'commands/ping.ts':
        "import { type ZodType } from 'zod'\nimport { ZodString } from 'zod/v4'\nexport default () => 'pong' as ZodString & ZodType & string",
    },
  ],
  ['in a package.json without lists, because something else installs them', {}],
])('neither warns about packages %s', { tags: 'all/commands' }, async (_what, lists, more = {}) => {
  await using draft = await BotDraft.make({ ...files, ...more, 'package.json': packageJson(lists) })
  expect((await draft.framework(['build'])).stdout).not.toContain('production install')
})

test('the sources of a linked package bring the packages that it depends on', { tags: 'all/commands' }, async () => {
  await using draft = await BotDraft.make({
    ...files,
    'bot/package.json': packageJson({ dependencies: { ...framework, shared: '*' } }),
    'bot/commands/ping.ts': "export { default } from 'shared'",
    'shared/package.json': packageJson({ name: 'shared', exports: './text.ts', dependencies: { zod: '4' } }),
    'shared/text.ts': files['commands/ping.ts'],
  })
  await symlink('../shared', join(draft.root, 'node_modules/shared'))
  expect((await draft.framework(['build'], {}, 'bot')).stdout).not.toContain('production install')
  await draft.write({ 'shared/package.json': packageJson({ name: 'shared', exports: './text.ts', dependencies: {} }) })
  expect((await draft.framework(['build'], {}, 'bot')).stdout).toContain(
    '! ../shared/text.ts: the package "zod" is not in dependencies of ../shared/package.json, so a production install leaves it out',
  )
})

test(
  'warns about a linked package in devDependencies whose code imports other packages',
  { tags: 'all/commands' },
  async () => {
    const shared = (dependencies: object) => packageJson({ name: 'shared', exports: './text.ts', dependencies })
    await using draft = await BotDraft.make({
      ...files,
      'bot/package.json': packageJson({ dependencies: framework, devDependencies: { shared: '*' } }),
      'bot/commands/ping.ts': "export { default } from 'shared'",
      'shared/package.json': shared({ zod: '4' }),
      'shared/text.ts': files['commands/ping.ts'],
    })
    await symlink('../shared', join(draft.root, 'node_modules/shared'))
    expect((await draft.framework(['build'], {}, 'bot')).stdout).toContain(
      '! ../shared/text.ts: the package "shared", whose code imports "zod", is in devDependencies of package.json, so a production install leaves both out: npm install --save-prod shared\n',
    )
  },
)

test('a package.json that only sets the kind of its modules belongs to the package above it', async () => {
  await using draft = await BotDraft.make({
    ...files,
    'bot/package.json': packageJson({ name: 'bot', dependencies: { ...framework, shared: '*' } }),
    'bot/commands/ping.ts': "export { default } from 'shared'",
    'bot/commands/package.json': packageJson({}),
    'shared/package.json': packageJson({ name: 'shared', exports: './esm/text.ts', dependencies: { zod: '4' } }),
    'shared/esm/package.json': packageJson({}),
    'shared/esm/text.ts': files['commands/ping.ts'],
  })
  await symlink('../shared', join(draft.root, 'node_modules/shared'))
  expect((await draft.framework(['build'], {}, 'bot')).stdout).not.toContain('production install')
})

test('framework start names a package that is not installed, with the fix', { tags: 'all/commands' }, async () => {
  await using draft = await BotDraft.make(files)
  await using service = await startService({ port: 0, world: defaultWorld('lacking', 'token-of-the-bot') })
  const env = { BOT_TOKEN: 'token-of-the-bot', BOT_BASE_URL: service.base_url }
  const logOf = async () => {
    expect(await draft.framework(['build'])).toMatchObject({ code: 0 })
    await using production = await startProduction(join(draft.root, 'dist'), { env })
    expect(await production.ended).toBe(78)
    return production.log()
  }
  expect(await logOf()).toContain(
    'bot.config.ts cannot be loaded: the package "zod" is not installed: npm install zod\n',
  )
  await draft.write({
    'bot.config.ts': 'export default {}',
    'resources/db.ts':
      "import 'zod/v4'\nimport { resource } from '@botwright/framework'\nexport default resource({ open: () => 1 })",
  })
  expect(await logOf()).toContain(
    'resources/db.ts cannot be loaded: the package "zod" is not installed: npm install zod\n',
  )
})
