import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotDraft } from '../bot-folder.test.fixture.ts'
import { type BotCopy, compileBot } from './compile-bot.ts'

// A bot with a plugin next to it in the workspace; the link makes it a package.
test('a bot is compiled again only if a plugin of its workspace has changed', async () => {
  await using draft = await BotDraft.make({
    'queues/package.json': '{"name":"queues","type":"module","botwright":"plugin.ts"}',
    'queues/plugin.ts':
      "import { plugin } from '@botwright/framework'\nexport default plugin({ url: import.meta.url })",
    'queues/commands/add.ts': "import { word } from '../lib/word.ts'\nexport default () => word",
    'queues/lib/word.ts': "export const word = 'one'",
    'shared/name.ts': "export const name = 'ann'",
    'bot/package.json': '{"name":"bot","type":"module"}',
    'bot/commands/own.ts': "import { name } from '../../shared/name.ts'\nexport default () => name",
    'bot/bot.config.ts': "import queues from 'queues'\nexport default { plugins: { queues: queues() } }",
  })
  const root = join(draft.root, 'bot')
  await mkdir(join(root, 'node_modules'))
  await symlink(join(draft.root, 'queues'), join(root, 'node_modules/queues'))
  const copies: BotCopy[] = []
  const copied = async () => {
    const copy = await compileBot(root)
    copies.push(copy)
    return copy
  }
  const compiled = async () => (await copied()).source
  const textOf = async (file: string) => {
    const { modules, provide } = await compiled()
    provide!(file)
    return readFile(modules[file]!, 'utf8')
  }

  const first = await copied()
  expect(Object.keys(first.source.modules)).toContain('queues/commands/add.ts')
  const second = await copied()
  expect(second.code).toBe(first.code)
  const paths = [first, second].flatMap(({ source }) => Object.values(source.modules))
  expect(new Set(paths).size, 'modules of one copy alone').toBe(paths.length)

  await writeFile(join(draft.root, 'queues/commands/add.ts'), "export default () => 'changed'")
  expect(await textOf('queues/commands/add.ts')).toContain('changed')
  await writeFile(join(draft.root, 'queues/commands/more.ts'), "export default () => 'more'")
  expect(await textOf('queues/commands/more.ts')).toContain('more')
  await rm(join(draft.root, 'queues/commands/more.ts'))
  expect((await compiled()).modules).not.toHaveProperty(['queues/commands/more.ts'])

  await writeFile(join(draft.root, 'shared/name.ts'), "export const name = 'somebody else'")
  const { modules, provide } = await compiled()
  const path = modules['commands/own.ts']!
  expect(existsSync(path), 'a module that nobody has asked for').toBe(false)
  provide!('commands/own.ts')
  const { default: own } = (await import(path)) as { default: () => string }
  expect(own()).toBe('somebody else')
  const written = copies.flatMap(({ source }) => Object.values(source.modules)).filter((one) => existsSync(one))
  expect(written).toContain(path)
  await Promise.all(copies.map((copy) => copy.remove()))
  expect(written.filter((one) => existsSync(one))).toEqual([])
  expect(readdirSync(join(root, '.botwright/test')), 'after the last copy, the folder of the process').toEqual([])
  const again = await copied()
  again.source.provide!('commands/own.ts')
  expect(existsSync(again.source.modules['commands/own.ts']!)).toBe(true)
  await again.remove()
  await again.remove()
  expect(readdirSync(join(root, '.botwright/test'))).toEqual([])
})

test('a link that leads to itself is reported as a file that cannot be read', { tags: 'all/commands' }, async () => {
  await using draft = await BotDraft.make({ 'commands/ping.ts': "export default () => 'pong'" })
  await symlink('loop.ts', join(draft.root, 'commands/loop.ts'))
  const { code, stdout } = await draft.framework(['check'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('commands/loop.ts') })
})
