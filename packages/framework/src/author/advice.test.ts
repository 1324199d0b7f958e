import fc from 'fast-check'
import { expect, test } from 'vitest'
import { discover } from './files/manifest.ts'

/** Words that authors write, and those that rules treat specially. */
const word = fc
  .oneof(
    fc.constantFrom(
    'ping', 'Ping', 'roleAdd', 'role-add', 'index', 'Index', 'INDEX', 'middleware', 'Middleware', 'middlewares',
    '(admin)', '(x)', '_lib', 'a b', 'Café', 'méssage', 'message', 'mesage', 'ready', 'Ready', 'automod', '日本', '-', '--a', '~_x', 'É_',
    'constructor', '__proto__', 'test', 'a.test', 'A.Test', 'x.d', 'node_modules', '.x', 'con', 'a'.repeat(40), 'B'.repeat(33),
  ), // prettier-ignore
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map((text) => text.replaceAll('/', '')),
  )
  .filter((text) => text !== '')
const folder = fc.constantFrom(
  'commands', 'command', 'Commands', 'buttons', 'Button', 'events', 'event', 'EVENTS', 'tasks', 'Task', 'state', 'states', 'State', 'lib',
) // prettier-ignore
const file = fc
  .tuple(
    fc.constantFrom('', 'src/'),
    fc.option(folder, { nil: undefined }),
    fc.array(word, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('.ts', '.mts', '.js', '.mjs', '.cts', '.tsx'),
  )
  .map(
    ([source, first, words, ending]) => source + [...(first === undefined ? [] : [first]), ...words].join('/') + ending,
  )

/** The path that the advice in a message recommends; undefined if it names none. */
function advised(from: string, message: string): string | undefined {
  const text = message.slice(message.lastIndexOf('; ') + 2)
  const [, moved] = /^move it to (.+?)(?<! under another name)$/.exec(text) ?? []
  if (moved !== undefined) return moved
  const [, name] = /^(?:rename it to|did you mean) (.+?)\??$/.exec(text) ?? []
  if (name === undefined || /^the name of /.test(name)) return undefined
  const parts = from.split('/')
  if (!name.endsWith('/')) return [...parts.slice(0, -1), name].join('/')
  return [...new Set(parts.slice(0, -1).map((_, i) => parts.with(i, name.slice(0, -1)).join('/')))].find((path) =>
    isAccepted([path]),
  )
}

const isAccepted = (files: readonly string[]): boolean => {
  try {
    return discover(files).entries.length === files.length
  } catch {
    return false
  }
}

/** The message about one file among all. */
function messageAbout(file: string, files: readonly string[]): string | undefined {
  try {
    discover(files)
    return undefined
  } catch (error) {
    return (error as Error).message.split('\n').find((line) => line.startsWith(`${file}: `))
  }
}

test('the advice for a file name is itself accepted, beside the other files', () => {
  fc.assert(
    fc.property(fc.uniqueArray(file, { minLength: 1, maxLength: 4 }), (files) => {
      const valid = files.filter((one) => isAccepted([one]))
      const others = valid.filter(
        (one, i) => isAccepted(valid.slice(0, i + 1)) || isAccepted([one, ...valid.slice(0, i)]),
      )
      fc.pre(others.length === 0 || isAccepted(others))
      for (const one of files) {
        if (valid.includes(one)) continue
        const message = messageAbout(one, [...others, one])
        if (message === undefined) continue
        expect(message).not.toContain('undefined')
        const path = advised(one, message)
        if (path !== undefined) expect([message, isAccepted([...others, path])]).toEqual([message, true])
      }
    }),
    { numRuns: 3000 },
  )
})

test.each([
  ['commands/Index.ts', 'rename it'],
  ['Commands/日本.ts', 'move it to commands/ under another name'],
  ['commands/ban/(x)/index.ts', 'move it to commands/ban.ts'],
  ['commands/Tea/Black.ts', 'move it to commands/tea/black.ts'],
  ['Commands/Ping.ts', 'move it to commands/ping.ts'],
  ['commands/~_x.ts', 'rename it'],
  ['commands/CON.ts', 'rename it'],
  ['event/mesage.ts', 'move it to events/message.ts'],
])('%s: %s', (file, advice) => {
  expect(messageAbout(file, [file])?.split('; ').at(-1)).toBe(advice)
})

test.each([
  [['command/ping.ts', 'commands/ping.ts'], 'rename it, but not to commands/ping.ts, which exists'],
  [['commands/Ping.ts', 'commands/ping.js'], 'rename it, but not to commands/ping.ts: commands/ping.js exists'],
  [['events/mesage.ts', 'events/message.js'], 'join it with events/message.js'],
  [['middlewares.ts', 'middleware.js'], 'join it with middleware.js'],
])('%s: %s', (files, advice) => {
  expect(messageAbout(files[0]!, files)?.split('; ').at(-1)).toBe(advice)
})
