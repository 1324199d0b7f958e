import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { startDev, stop } from '../dev-process.test.fixture.ts'
import { startPerson } from '../test-person.fixture.ts'

const checkout = fileURLToPath(new URL('../../../../..', import.meta.url))

test('framework dev reloads saves in a plugin of the workspace, and in the texts of a language', async () => {
  await using draft = await BotDraft.make({
    'queues/package.json': '{"name":"queues","type":"module","botwright":"plugin.ts"}',
    'queues/plugin.ts':
      "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })",
    'queues/commands/next.ts': "export default () => 'the first'",
    'queues/commands/broken.ts': "\nexport default () => {\n  throw new Error('no queue')\n}",
    'bot/package.json': '{"name":"bot","type":"module"}',
    'bot/locales/en.json': '{ "hello": "Hello!" }',
    'bot/commands/hello.ts': "export default (ctx) => ctx.t('hello')",
    'bot/bot.config.ts': [
      "import languages from '@botwright/languages'",
      "import queues from 'queues'",
      "export default { plugins: { queues: queues(), languages: languages({ fallback: 'en' }) } }",
    ].join('\n'),
  })
  const root = join(draft.root, 'bot')
  await mkdir(join(root, 'node_modules'))
  await symlink(join(draft.root, 'queues'), join(root, 'node_modules/queues'))
  // The dependencies of @botwright/languages, where a package manager puts them.
  for (const name of ['@formatjs', 'intl-messageformat'])
    await symlink(join(checkout, 'node_modules', name), join(draft.root, 'node_modules', name))
  const dev = await startDev({ root })
  const { output } = dev
  const printed = (text: string | RegExp) => expect.poll(output).toMatch(text)
  try {
    await printed(/Chat +http/)
    await printed('/next')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
    expect(await ann.answerTo('/next')).toBe('the first')
    expect(await ann.answerTo('/hello')).toBe('Hello!')

    await draft.write({ 'queues/commands/next.ts': "export default () => 'the second'" })
    await printed(/↻ queues\/commands\/next\.ts {2}/)
    expect(await ann.answerTo('/next')).toBe('the second')

    await draft.write({
      'queues/plugin.ts':
        "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url, data: [] })",
    })
    await printed('⟳ bot.config.ts or a file it imports has changed: restarted')

    await draft.write({ 'bot/locales/en.json': '{ "hello": "Good day!" }' })
    await printed(/↻ locales\/en\.json {2}/)
    expect(await ann.answerTo('/hello')).toBe('Good day!')

    await ann.answerTo('/broken')
    await printed(/queues\/commands\/broken\.ts:3/)
  } finally {
    await stop(dev)
  }
})

test(
  'framework dev recovers if tsconfig and the folder of a plugin change at once, as when switching branches',
  { tags: ['all/processes'] },
  async () => {
    const plugin = "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })"
    const config = (folder: string) =>
      `import queues from './${folder}/plugin.ts'\nexport default { plugins: { queues: queues() } }`
    await using draft = await BotDraft.make({
      'tsconfig.json': '{"compilerOptions":{"strict":true}}',
      'queues/plugin.ts': plugin,
      'queues/commands/next.ts': "export default () => 'the first'",
      'bot.config.ts': config('queues'),
      'commands/hello.ts': "export default () => 'hello'",
    })
    const dev = await startDev(draft)
    const { output } = dev
    const printed = (text: string | RegExp) => expect.poll(output).toMatch(text)
    try {
      await printed('/next')
      const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
      expect(await ann.answerTo('/next')).toBe('the first')

      await rm(join(draft.root, 'queues'), { recursive: true })
      await draft.write({
        'tsconfig.json': '{"compilerOptions":{"strict":false}}',
        'lines/plugin.ts': plugin,
        'lines/commands/next.ts': "export default () => 'the second'",
        'bot.config.ts': config('lines'),
      })
      await ann.comesToAnswer('/next', 'the second')

      await draft.write({ 'commands/hello.ts': "export default () => 'good day'" })
      await printed(/↻ commands\/hello\.ts/)
      expect(await ann.answerTo('/hello')).toBe('good day')
    } finally {
      await stop(dev)
    }
  },
)

// A branch replaces the plugin by another folder, or changes most files of the same folder.
const changes = [
  { by: 'the name of its package', from: 'queues', to: 'lines' },
  { by: 'its path', from: '../plugins/queues/plugin.ts', to: '../plugins/lines/plugin.ts' },
  { by: 'the name of its package, in place', from: 'queues', to: 'queues' },
  { by: 'its path, in place', from: '../plugins/queues/plugin.ts', to: '../plugins/queues/plugin.ts' },
  { by: 'its name, by a slow program', from: 'queues', to: 'lines', slow: true },
  {
    by: 'its path, in place, by a slow program',
    from: '../plugins/queues/plugin.ts',
    to: '../plugins/queues/plugin.ts',
    slow: true,
  },
]

async function recovers({ from, to, slow = false }: (typeof changes)[number]) {
  const plugin = "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })"
  const manifest = (name: string) => `{"name":"${name}","type":"module","botwright":"plugin.ts"}`
  const config = (path: string) => `import queues from '${path}'\nexport default { plugins: { queues: queues() } }`
  await using draft = await BotDraft.make({
    'plugins/queues/package.json': manifest('queues'),
    'plugins/queues/plugin.ts': plugin,
    'plugins/queues/lib/first.ts': "export const place = 'the first'",
    'plugins/queues/commands/next.ts': "import { place } from '../lib/first.ts'\nexport default () => place",
    'plugins/queues/commands/gone.ts': "export default () => 'gone'",
    'bot/package.json': '{"name":"bot","type":"module"}',
    'bot/tsconfig.json': '{"compilerOptions":{"strict":true}}',
    'bot/bot.config.ts': config(from),
    'bot/commands/hello.ts': "export default () => 'hello'",
  })
  const root = join(draft.root, 'bot')
  await mkdir(join(root, 'node_modules'))
  for (const name of ['queues', 'lines'])
    await symlink(join(draft.root, 'plugins', name), join(root, 'node_modules', name))
  const dev = await startDev({ root })
  const { output } = dev
  const printed = (text: string | RegExp) => expect.poll(output).toMatch(text)
  try {
    await printed('/next')
    const ann = await startPerson(/http:\/\/127\.0\.0\.1:\d+/.exec(output())![0], 'ann')
    expect(await ann.answerTo('/next')).toBe('the first')

    const folder = to.includes('lines') ? 'lines' : 'queues'
    await rm(join(draft.root, 'plugins'), { recursive: true })
    await draft.write({ 'bot/tsconfig.json': '{"compilerOptions":{"strict":false}}' })
    // Half of the change is reported as a problem.
    if (slow) await printed('✘')
    await draft.write({
      [`plugins/${folder}/package.json`]: manifest(folder),
      [`plugins/${folder}/plugin.ts`]: plugin,
      [`plugins/${folder}/lib/second.ts`]: "export const place = 'the second'",
      [`plugins/${folder}/commands/next.ts`]: "import { place } from '../lib/second.ts'\nexport default () => place",
      ...(from !== to && { 'bot/bot.config.ts': config(to) }),
    })
    await ann.comesToAnswer('/next', 'the second')

    await draft.write({ 'bot/commands/hello.ts': "export default () => 'good day'" })
    // A save during the restart is part of it.
    await ann.comesToAnswer('/hello', 'good day')
    await draft.write({ [`plugins/${folder}/lib/second.ts`]: "export const place = 'the third'" })
    await ann.comesToAnswer('/next', 'the third')
  } catch (error) {
    throw new Error(`framework dev printed:\n${output()}`, { cause: error })
  } finally {
    await stop(dev)
  }
}

const title = 'framework dev recovers when tsconfig and a plugin of the workspace, mounted by $by, change at once'
test.for(changes)(title, { tags: 'all/real-time' }, recovers)
