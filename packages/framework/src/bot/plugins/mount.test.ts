import { expect, test } from 'vitest'
import { discover } from '../../author/manifest.ts'
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

test("a plugin's files follow the bot's own; its buttons are named after it, its commands are not", () => {
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

test('a conflict names both files, whether a bot and a plugin or two plugins make it', () => {
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

test('a name that cannot be is told with the package that it stands in', () => {
  expect(() => mount([], counting(['events/mesage.js']))).toThrow(
    '@acme/counting/events/mesage.js: there is no event "mesage"; did you mean message.js?',
  )
})

test('the JSON files that a plugin asks for are those of the bot and of every plugin', () => {
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

test('a bot without plugins has the manifest that its own files make', () => {
  const own = discover(['commands/ping.ts'])
  expect(mountPlugins(own, ['commands/ping.ts'], [])).toBe(own)
})
