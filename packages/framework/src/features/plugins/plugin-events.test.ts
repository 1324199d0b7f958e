import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliver, id, message, start, write } from '../../tests/loaded-bot.test.fixture.ts'
import { discover } from '../../author/files/manifest.ts'
import { mountPlugins } from './mount.ts'

test('a plugin that accepts messages of bots receives them even if events/message.ts of the bot does not', async () => {
  const said = (whom: string, bots: boolean) =>
    `import { event } from 'botwright'\nexport default event('message', { bots: ${bots}, run: () => 'I am ${whom}' })`
  const files = { 'events/message.ts': said('the bot', false), 'echo/events/message.ts': said('the plugin', true) }
  const manifest = mountPlugins(
    discover(['events/message.ts']),
    [],
    [{ name: 'echo', package: 'echo', files: ['events/message.ts'], data: [] }],
  )
  const { root } = await write(files)
  const modules = Object.fromEntries(Object.keys(files).map((file) => [file, join(root, file)]))
  const { bot, calls } = await start({}, { manifest, modules, root }, { plugins: { echo: { options: {} } } })
  for (const author_bot of [true, false]) await bot.handle(message({ author_bot }))
  expect(calls.map(([, input]) => input['content'])).toEqual(['I am the plugin', 'I am the bot', 'I am the plugin'])
})

test('every events/unknown.ts receives an unknown type, and a file with the name of the type does not', async () => {
  const said = (text: string) => `export default (ctx) => ctx.send('${id(20)}', '${text}')`
  const files = {
    'events/unknown.ts': said('the bot'),
    'events/ready.ts': said('the life of the bot'),
    'echo/events/unknown.ts': said('the plugin'),
    'echo/events/ready.ts': said('the life of the plugin'),
  }
  const own = ['events/unknown.ts', 'events/ready.ts']
  const manifest = mountPlugins(discover(own), [], [{ name: 'echo', package: 'echo', files: own, data: [] }])
  const { root } = await write(files)
  const modules = Object.fromEntries(Object.keys(files).map((file) => [file, join(root, file)]))
  const { bot, calls } = await start({}, { manifest, modules, root }, { plugins: { echo: { options: {} } } })
  await bot.handle(deliver('ready', {}))
  expect(calls.map(([, input]) => input['content'])).toEqual(['the bot', 'the plugin'])
})
