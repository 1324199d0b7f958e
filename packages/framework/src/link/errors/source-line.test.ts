import { expect, test } from 'vitest'
import { authorStack, sourceLine } from './source-line.ts'

const thrown = (...frames: string[]): Error =>
  Object.assign(new Error('no fuel'), { stack: ['Error: no fuel', ...frames.map((at) => `    at ${at}`)].join('\n') })
const handler = '@shop/queues/commands/add.ts'

test("returns the first frame of the bot's own code", () => {
  const error = thrown(
    'burn (/srv/bot/node_modules/fuel/index.js:3:1)',
    'go (/srv/bot/lib/tank.ts:7:9)',
    '/srv/bot/commands/go.ts:2:1',
  )
  expect(sourceLine(error, '/srv/bot', 'commands/go.ts')).toBe('lib/tank.ts:7')
  expect(sourceLine(thrown('/elsewhere/x.js:1:1'), '/srv/bot', 'commands/go.ts')).toBeUndefined()
})

test.each([
  ['installed', '/srv/bot/node_modules/@shop/queues'],
  ['linked from a folder of another name', '/srv/our-queues'],
])(
  'returns the frame of the plugin file that threw, not of the handler that called it, for a plugin %s',
  (_, folder) => {
    const others = ['push (/srv/bot/node_modules/list/index.js:1:1)', `push (${folder}/node_modules/list/index.js:1:1)`]
    const called = `add (${folder}/lib/queue.ts:12:5)`
    const run = `async Object.run (file://${folder}/commands/add.ts:4:3)`
    expect(sourceLine(thrown(...others, called, run), '/srv/bot', handler)).toBe('@shop/queues/lib/queue.ts:12')
    expect(sourceLine(thrown(...others, run), '/srv/bot', handler)).toBe('@shop/queues/commands/add.ts:4')
  },
)

test('a quoted stack with URLs of another machine does not replace the error', () => {
  const error = thrown(
    'x (file://else.where/x.js:1:1)',
    'y (file:///srv/bot/a%2Fb.js:1:1)',
    '/srv/bot/commands/go.ts:2:1',
  )
  expect(authorStack(error.stack!)).toBe(error.stack)
  expect(sourceLine(error, '/srv/bot', 'commands/go.ts')).toBe('commands/go.ts:2')
})
