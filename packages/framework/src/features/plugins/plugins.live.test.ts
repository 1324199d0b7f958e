import { expect, test } from 'vitest'
import { z } from 'zod'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { discover } from '../../author/files/manifest.ts'
import { mountPlugins } from './mount.ts'
import { plugin } from '../../author/plugins/plugin.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// A bot with two plugins on the real service, with its handlers in a worker thread as in a built bot.

const api = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const own = {
  'commands/ping.ts': `export default (ctx) => 'pong ' + ctx.greeting('ann') + ' ' + JSON.stringify(ctx.options)`,
  'events/message.ts': `export default (ctx) => ctx.content === 'all' ? 'the bot' : undefined`,
  'middleware.ts': `export default (ctx, next) => (ctx.path = 'bot', next())`,
}
const counting = {
  'commands/count.js': `export default (ctx) => ctx.path + ' counts from ' + ctx.options.start`,
  'commands/ask.js': `import { row } from ${api}
import undo from '../buttons/undo.js'
export default (ctx) => ctx.reply({ content: '?', components: [row(undo.button({ label: 'Undo' }))] })`,
  'buttons/undo.js': `import { button } from ${api}\nexport default button({ run: (ctx) => 'undone by ' + ctx.path + ' ' + ctx.custom_id })`,
  'events/message.js': `export default (ctx) => { if (ctx.content === 'all') throw new Error('of the plugin') }`,
  'middleware.js': `export default (ctx, next) => (ctx.path += ' counting', next())`,
}
const greeter = {
  'context.js': `import { context } from ${api}
export default context(({ options, data }) => ({ greeting: (ctx) => (name) => options.word + ' ' + name + ' ' + data[0].value.mark }))`,
  'events/message.js': `export default (ctx) => ctx.content === 'all' ? 'the greeter' : undefined`,
}

async function rigWithPlugins() {
  const rig = await ChatRig.start()
  const place = (files: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]))
  const all = { ...own, ...place(counting, '@acme/counting'), ...place(greeter, 'greeter') }
  const { modules, root } = rig.source({
    ...all,
    'locales/de.json.ts': `export default { mark: '!' }`,
  })
  const manifest = mountPlugins(
    discover(Object.keys(own)),
    [...Object.keys(own), 'locales/de.json'],
    [
      { name: 'counting', package: '@acme/counting', files: Object.keys(counting), data: [] },
      { name: 'greeter', package: 'greeter', files: Object.keys(greeter), data: ['locales'] },
    ],
  )
  const source = { manifest, root, modules: { ...modules, 'locales/de.json': modules['locales/de.json.ts']! } }
  const options = { url: import.meta.url, options: z.looseObject({}) }
  const plugins = { counting: plugin(options)({ start: 7 }), greeter: plugin(options)({ word: 'hi' }) }
  return { rig, source, plugins }
}

test('handlers of plugins run with their own options, middleware and button names; their additions are on every ctx', async () => {
  const { rig, source, plugins } = await rigWithPlugins()
  await using chat = rig
  await chat.startBot({}, { source, config: { plugins } })
  await chat.says('ann', '/ping')
  await chat.says('ann', '/count')
  await chat.says('ann', '/ask')
  await chat.until(async () => (await chat.texts()).length === 6)
  const texts = await chat.texts()
  expect(texts).toEqual(expect.arrayContaining(['pong hi ann ! {}', 'bot counting counts from 7']))
  const channel_id = chat.channel('general')
  const { messages } = await chat.person('ann').messages.list({ channel_id, limit: 50 })
  const asked = messages.find((message) => message.content === '?')!
  const custom_id = asked.components[0]!.components[0]!.custom_id!
  expect(custom_id).toBe('counting/undo')
  await chat.person('ann').clicks.create({ channel_id, message_id: asked.id, custom_id })
  await chat.until(async () => (await chat.texts()).includes('undone by bot counting counting/undo'))
})

test("all handlers of an event run, the bot's first, even if one throws", slow, async () => {
  const { rig, source, plugins } = await rigWithPlugins()
  await using chat = rig
  await chat.startBot({}, { source, config: { plugins } })
  await chat.says('ann', 'all')
  await chat.until(async () => (await chat.texts()).length === 3)
  expect(await chat.texts()).toEqual(['all', 'the bot', 'the greeter'])
  expect(chat.logged('error')).toEqual([expect.stringContaining('@acme/counting/events/message.js')])
})

test('rejects a build whose plugins differ from the configuration', slow, async () => {
  const { rig, source, plugins } = await rigWithPlugins()
  await using chat = rig
  const started = chat.startBot({}, { source, config: { plugins: { counting: plugins.counting } } })
  await expect(started).rejects.toThrow('plugins.greeter is gone; run "framework build" again')
})
