import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { createLog } from '../../program/log.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

const lines = `
  ctx.log.info('a text')
  ctx.log.warn({ place: 1 }, 'facts and a text')
  ctx.log.info({ alone: 2 })
  ctx.log.error(new TypeError('gone'))
  ctx.log.error(new TypeError('gone'), 'an error and a text')`

test.each(['worker', 'inline'] as const)(
  'ctx.log accepts a message, facts, an error, or facts with a message (%s)',
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const bot = await rig.startBot(
      {
        'commands/log.ts': `export default (ctx) => {${lines} }`,
        'events/ready.ts': "export default (ctx) => { ctx.log.info('ready by text') }",
      },
      { dispatcher },
    )
    await rig.says('ann', '/log')
    await rig.until(() => bot.stats().finished === 1)
    await rig.until(() => rig.lines.some(({ message }) => message === 'an error and a text'))
    const of = (text: string) => rig.lines.find(({ message }) => message === text)
    const file = 'commands/log.ts'
    const error = expect.objectContaining({ message: 'gone', stack: expect.stringContaining('log') as string }) as Error
    expect(of('a text')).toMatchObject({ level: 'info', facts: { file } })
    expect(of('facts and a text')).toMatchObject({ level: 'warn', facts: { file, place: 1 } })
    expect(of('')).toMatchObject({ level: 'info', facts: { file, alone: 2 } })
    expect(of('gone')).toMatchObject({ level: 'error', facts: { file, error } })
    expect(of('an error and a text')).toMatchObject({ level: 'error', facts: { file, error } })
    expect(of('ready by text')).toMatchObject({ level: 'info' })
  },
)

test.each(['worker', 'inline'] as const)(
  'an error in the facts has the shape of a pino error (%s)',
  slow,
  async (dispatcher) => {
    await using rig = await ChatRig.start()
    const lines: string[] = []
    const bot = await rig.startBot(
      {
        'commands/save.ts': `class Full extends Error { code = 'E_FULL' }
        export default (ctx) => {
          const err = Object.assign(new TypeError('gone', { cause: new Full('disk full') }), { code: 'E_GONE', tries: 3 })
          ctx.log.warn({ err, cause: new Full('no space') }, 'not saved')
        }`,
      },
      { dispatcher, log: createLog({ write: (line) => void lines.push(line) }) },
    )
    await rig.says('ann', '/save')
    await rig.until(() => bot.stats().finished === 1)
    await rig.until(() => lines.some((line) => line.includes('not saved')))
    const { err, cause } = JSON.parse(lines.find((line) => line.includes('not saved'))!) as Record<string, unknown>
    expect(err).toEqual({
      type: 'TypeError',
      message: 'gone: disk full',
      stack: expect.stringMatching(
        /^TypeError: gone\n +at [^]*\ncaused by:? (?:Full|Error): disk full\n +at /,
      ) as string,
      code: 'E_GONE',
      tries: 3,
    })
    expect(cause).toMatchObject({ type: 'Full', message: 'no space', code: 'E_FULL' })
  },
)
