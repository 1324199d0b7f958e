import { expect, test } from 'vitest'
import { discover } from '../../author/files/manifest.ts'
import { mountPlugins, type FoundPlugin } from './mount.ts'

const counting = (files: string[], more: Partial<FoundPlugin> = {}): FoundPlugin => ({
  name: 'counting',
  package: '@acme/counting',
  files,
  data: [],
  ...more,
})
const mount = (own: string[], ...plugins: FoundPlugin[]) => mountPlugins(discover(own), own, plugins)
const named = (own: string[], ...plugins: FoundPlugin[]) =>
  mount(own, ...plugins).entries.map(({ kind, name, file }) => `${kind} ${name} ${file}`)

test("appends a plugin's files to the bot's, and prefixes its button names but not its commands", () => {
  const files = ['buttons/undo.js', 'commands/count.js', 'events/message.js', 'middleware.js', 'plugin.js', 'lib/a.js']
  expect(named(['commands/ping.ts', 'events/message.ts', 'middleware.ts'], counting(files))).toEqual([
    'command ping commands/ping.ts',
    'event message events/message.ts',
    'middleware  middleware.ts',
    'button counting/undo @acme/counting/buttons/undo.js',
    'command count @acme/counting/commands/count.js',
    'event message @acme/counting/events/message.js',
    'middleware  @acme/counting/middleware.js',
  ])
})

test('a conflict of a bot and a plugin, or of two plugins, names both files', () => {
  const other = { ...counting(['commands/count.js']), name: 'other', package: 'other' }
  expect(() => mount(['commands/count.ts'], counting(['commands/count.js']))).toThrow(
    "commands/count.ts and @acme/counting/commands/count.js both define /count; rename yours, or remove plugins.counting from the bot's configuration",
  )
  expect(() => mount(['buttons/counting/undo.ts'], counting(['buttons/undo.js']))).toThrow(
    'buttons/counting/undo.ts and @acme/counting/buttons/undo.js both define the button "counting/undo"',
  )
  expect(() => mount([], counting(['commands/count.js']), other)).toThrow(
    '@acme/counting/commands/count.js and other/commands/count.js both define /count; remove plugins.counting or plugins.other',
  )
})

test('reports an invalid name with its package', () => {
  expect(() => mount([], counting(['events/mesage.js']))).toThrow(
    '@acme/counting/events/mesage.js: there is no event "mesage"; rename it to message.js',
  )
})

test('finds the JSON files that a plugin requests in the bot and in every plugin', () => {
  const texts = { ...counting(['context.js']), name: 'texts', package: 'texts', data: ['locales'] }
  const { plugins } = mount(['locales/de.json', 'data/x.json'], counting(['locales/de.json']), texts)
  expect(plugins).toEqual([
    { name: 'counting', package: '@acme/counting' },
    {
      name: 'texts',
      package: 'texts',
      context: 'texts/context.js',
      data: [
        { owner: '', name: 'locales/de', file: 'locales/de.json' },
        { owner: 'counting', name: 'locales/de', file: '@acme/counting/locales/de.json' },
      ],
    },
  ])
})

test("returns a bot's own manifest if there are no plugins", () => {
  const own = discover(['commands/ping.ts'])
  expect(mountPlugins(own, ['commands/ping.ts'], [])).toBe(own)
})
