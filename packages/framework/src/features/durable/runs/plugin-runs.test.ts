import { join } from 'node:path'
import { expect, test } from 'vitest'
import { discover } from '../../../author/files/manifest.ts'
import { message, start, write } from '../../../tests/loaded-bot.test.fixture.ts'
import { mountPlugins } from '../../plugins/mount.ts'
import { durable, Restarts, texts } from './restarts.test.fixture.ts'

// Durable handlers of bots with plugins: those of the plugin itself, and those that use its additions.

/** Starts a bot with the plugin `words` on the store of earlier ones. `plugin`: the files of its folder. */
async function startWith(rig: Restarts, own: Record<string, string>, plugin: Record<string, string>) {
  const files = Object.keys(plugin)
  const found = { name: 'words', package: 'words', files, data: [] }
  const manifest = mountPlugins(discover(Object.keys(own)), [], [found])
  const all = { ...own, ...Object.fromEntries(files.map((file) => [`words/${file}`, plugin[file]!])) }
  const { root } = await write(all)
  const modules = Object.fromEntries(Object.keys(all).map((file) => [file, join(root, file)]))
  const source = { manifest, root, modules, codeId: 'same' }
  const host = { clock: rig.clock, store: rig.store, plugins: { words: { options: { start: 7 } } }, env: { A: 'b' } }
  return start({}, source, host)
}

const context = `import { context } from 'botwright'
  export default context(({ store, texts }) => {
    const word = async () => (await store.get('word'))?.value ?? 'en'
    texts.use({ languageOf: word, find: () => undefined })
    return { word: () => word, setWord: () => (to) => store.set('word', to), wordNow: (ctx) => () => ctx.word() }
  })`

test('a durable handler of a plugin has all members of ctx, and continues after a restart', async () => {
  const rig = new Restarts()
  const plugin = {
    'tasks/later.js': `import { task } from 'botwright'\nexport default task({ run: () => {} })`,
    'commands/go.js': durable(`
      ctx.log.info('begins')
      const word = await ctx.ask('Word?', { timeout: '1h' })
      await ctx.schedule('words/later', { in: '1h' })
      await ctx.sleep('1m')
      if (word === 'fail') throw new Error('boom')
      return [word, ctx.me.username, ctx.env.A, ctx.options.start, await ctx.scheduled('words/later').then((all) => all.length)].join()`),
  }
  const first = await startWith(rig, {}, plugin)
  await first.bot.handle(message({ command: 'go' }))
  const { bot, calls, logged } = await startWith(rig, {}, plugin)
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'tea' }))
  await rig.clock.advance(60_000)
  await rig.wake(bot)
  expect([...texts(first.calls), ...texts(calls)]).toEqual(['Word?', 'tea,bot,b,7,1'])
  // Timers are in the store that all files of the bot share: the scheduler reads no other.
  expect((await rig.store.list('task:timer:')).length).toBe(1)
  expect([...first.logged, ...logged]).toEqual([])
})

test('a failed durable handler of a plugin notifies its user', async () => {
  const rig = new Restarts()
  const { bot, calls, logged } = await startWith(rig, {}, { 'commands/go.js': durable("throw new Error('boom')") })
  await bot.handle(message({ command: 'go' }))
  expect(texts(calls)).toEqual([expect.stringMatching(/^Something went wrong/)])
  expect(logged).toEqual(['words/commands/go.js:2: boom'])
})

test("additions of plugins and the bot's own texts read and write in steps: a replay repeats what it read, and writes nothing", async () => {
  const rig = new Restarts()
  const set = "export default async (ctx) => { await ctx.setWord('de') }"
  const own = {
    'commands/set.ts': set,
    'commands/go.ts': durable(`
      await ctx.setWord('fr')
      await ctx.reply('first ' + (await ctx.wordNow()) + ' ' + (await ctx.step('word', () => ctx.word())))
      await ctx.ask('Word?', { timeout: '1h' })
      return 'then ' + (await ctx.word())`),
  }
  const first = await startWith(rig, own, { 'context.ts': context })
  await first.bot.handle(message({ command: 'go' }))
  await first.bot.handle(message({ command: 'set' }))
  const { bot, calls, logged } = await startWith(rig, own, { 'context.ts': context })
  await rig.wakeAll(bot)
  await bot.handle(message({ content: 'Abbrechen' }))
  expect([...texts(first.calls), ...texts(calls)]).toEqual(['first fr fr', 'Word?', 'then de'])
  expect((await rig.store.get('words/word'))?.value).toBe('de')
  expect([...first.logged, ...logged]).toEqual([])
})

test('the user of a run that was cancelled by an update reads the text in their present language', async () => {
  const rig = new Restarts()
  const set = "export default async (ctx) => { await ctx.setWord('de') }"
  const own = (before: string, options?: string) => ({
    'commands/set.ts': set,
    'commands/go.ts': durable(`${before} await ctx.ask('Word?')`, options),
  })
  const first = await startWith(rig, own(''), { 'context.ts': context })
  await first.bot.handle(message({ command: 'go' }))
  await first.bot.handle(message({ command: 'set' }))
  const { bot, calls } = await startWith(rig, own('await ctx.word();', 'version: 2,'), { 'context.ts': context })
  await rig.wakeAll(bot)
  expect(texts(calls)).toEqual([expect.stringMatching(/^Dieser Bot wurde/)])
})
