import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { message, start } from '../../tests/loaded-bot.test.fixture.ts'

/** Each handler makes a call on its second line that the service refuses, because the bot has no role. */
const refused = `ctx.api.channels.delete({ channel_id: ctx.channel_id })`
const files = {
  'commands/awaited.ts': `export default async (ctx) => {
  await ${refused}
}`,
  'commands/returned.ts': `export default (ctx) =>
  ${refused}`,
  'commands/later.ts': `export default async (ctx) => { await ctx.api.me.get()
  await ${refused}
}`,
  'commands/together.ts': `export default async (ctx) => {
  await Promise.all([ctx.api.me.get(), ${refused}])
}`,
  'commands/deeper.ts': `const below = async (ctx) => { await ctx.api.me.get(); return
  }; const inner = async (ctx) => { await below(ctx)
  await ${refused} }
export default async (ctx) => { await inner(ctx) }`,
  'commands/caught.ts': `export default async (ctx) => {
  const failed = await ${refused}.catch((error) => error)
  throw new Error('could not tidy up', { cause: failed })
}`,
  'commands/timeout.ts': `export default async (ctx) => {
  await ctx.api.moderation.timeout({ server_id: ctx.server_id, user_id: ctx.user.id, minutes: 5 })
}`,
  'commands/twice.ts': `export default async (ctx) => { await ctx.send(ctx.channel_id, 'the same')
  await ctx.send(ctx.channel_id, 'the same')
}`,
  'commands/text.ts': `export default () => {
  throw 'just a text'
}`,
  'commands/number.ts': `export default () => 42`,
  'commands/unawaited.ts': `export default (ctx) => {

  void ${refused}
  return 'on its way'
}`,
}

/** The location that each error reports. */
const places: Record<string, string> = {
  awaited: 'awaited.mjs:2',
  returned: 'returned.mjs:2',
  later: 'later.mjs:2',
  together: 'together.mjs:2',
  deeper: 'deeper.mjs:3',
  caught: 'caught.mjs:3',
  timeout: 'timeout.mjs:2',
  twice: 'twice.mjs:2',
  // A thrown string has no stack, and a returned value has no line.
  text: 'commands/text.ts',
  number: 'commands/number.ts',
  unawaited: 'unawaited.ts:3',
}

describe.each([
  ['inline', true],
  ['inline', false],
  ['worker', true],
  ['worker', false],
] as const)(
  'with the %s dispatcher, in development: %s, an error names the line of the author',
  (dispatcher, development) => {
    let rig: ChatRig
    beforeAll(async () => {
      rig = await ChatRig.start()
      await rig.startBot(files, { dispatcher, record: development, config: { record: true } })
    })
    afterAll(() => rig[Symbol.asyncDispose]())

    const failure = (reason: string) =>
      rig.lines.find(({ level, message }) => level === 'error' && message.includes(reason))

    /** In production, only awaited calls are located, recorded or not. */
    const placeOf = (name: string) =>
      ['returned', 'unawaited'].includes(name) && !development ? `commands/${name}.ts` : places[name]!
    it.each(Object.keys(places))('%s', async (name) => {
      rig.lines.length = 0
      await rig.says('ann', `/${name}`)
      await expect.poll(() => failure(`${name}.`)).toBeDefined()
      const { facts, message } = failure(`${name}.`)!
      expect(message.split(': ', 1)[0]).toMatch(new RegExp(`${placeOf(name).replaceAll('.', '\\.')}$`))
      const { stack } = facts as { stack?: string }
      if (placeOf(name).includes(':') && stack !== undefined) {
        const own = stack.split('\n').filter((line) => line.includes(`${name}.mjs`))
        expect(own[0]).toContain(placeOf(name))
      }
    })

    it('puts the stack of the cause below the stack of the error', async () => {
      rig.lines.length = 0
      await rig.says('ann', '/caught')
      await expect.poll(() => failure('caught.')).toBeDefined()
      const { stack } = failure('caught.')!.facts as { stack: string }
      expect(stack).toMatch(/could not tidy up\n[^]*caught\.mjs:3[^]*\ncaused by [^]*caught\.mjs:2/)
    })
  },
)

describe('two bots in one thread', () => {
  it('a rejection that no code awaits is logged by the bot whose call it was', async () => {
    const start = async () => {
      const rig = await ChatRig.start()
      await rig.startBot({ 'commands/unawaited.ts': files['commands/unawaited.ts'] }, { dispatcher: 'inline' })
      return rig
    }
    await using first = await start()
    await using second = await start()
    await second.says('ann', '/unawaited')
    await expect.poll(() => [...first.lines, ...second.lines].find(({ level }) => level === 'error')).toBeDefined()
    expect(first.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('the error of a returned value', () => {
  it.each([
    ['a number', 'export default () => 42', 'run returned the number 42'],
    ['a text that the service refuses', `export default async () => 'the same'`, 'slow down'],
  ])('names the file of the command, not of its middleware: %s', async (_, code, reason) => {
    const call = () => Promise.reject(new Error('slow down'))
    const { bot, logged } = await start(
      { 'commands/x.ts': code, 'middleware.ts': 'export default async (ctx, next) => {\n  await next()\n}' },
      {},
      { call },
    )
    await bot.handle(message({ command: 'x' }))
    expect(logged.filter((line) => !line.includes('could not be notified'))).toEqual([
      expect.stringMatching(new RegExp(`^commands/x\\.ts: .*${reason}`)),
    ])
  })
})
