/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectOk, expectRefused, type Spec, startSpec, x } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `c${i}`, description: `no. ${i}` }))
const put = (commands: unknown) => chat.bot('PUT', '/commands', { commands })
const list = async () => (await chat.bot('GET', '/commands')).body.commands as unknown

describe('the list of commands', () => {
  it('is replaced as a whole, for this bot only [spec: 4/commands.list, 4/commands.replace]', async () => {
    expectOk(await chat.bot('GET', '/commands'), { commands: [] })
    expectOk(await put(many(3)), { ok: true, commands: many(3) })
    expectOk(await chat.bot('GET', '/commands'), { commands: many(3) })
    expectOk(await put([{ name: 'ping', description: '' }]), {
      ok: true,
      commands: [{ name: 'ping', description: '' }],
    })
    expect(await list()).toEqual([{ name: 'ping', description: '' }])
    expect((await chat.helper('GET', '/commands')).body).toEqual({ commands: [] })
    expectOk(await put([]), { ok: true, commands: [] })
  })

  it.each([limits.commands.cautious, limits.commands.cautious + 1, limits.commands.max - 1, limits.commands.max])(
    'accepts %d commands [spec: 8/commands, decisions/3]',
    async (count) => {
      expectOk(await put(many(count)), { ok: true, commands: many(count) })
      expect(await list()).toHaveLength(count)
    },
  )

  it('refuses 101 and keeps the old list [spec: 8/commands, decisions/3]', async () => {
    await put(many(2))
    expectRefused(await put(many(limits.commands.max + 1)), 400, 'commands: must be at most 100 commands')
    expect(await list()).toEqual(many(2))
  })

  it.each([['a'], ['0'], ['-'], ['_'], [x(31)], [x(32)], ['a-b_c9']])(
    'accepts the name %s [spec: 8/command_name]',
    async (name) => {
      expectOk(await put([{ name, description: 'd' }]), { ok: true, commands: [{ name, description: 'd' }] })
    },
  )

  it.each([[''], [x(33)], ['Ping'], ['a b'], ['é'], ['a.b'], ['a\n'], [5], [null], [undefined]])(
    'refuses the name %j [spec: 8/command_name]',
    async (name) => {
      const good = { name: 'good', description: '' }
      expectRefused(await put([good, { name, description: '' }]), 400, 'commands[1].name')
      expect(await list()).toEqual([])
    },
  )

  it('requires a description and unique names, and names the invalid field [spec: 4/commands.replace]', async () => {
    expectRefused(await put([{ name: 'a' }]), 400, 'commands[0].description')
    expectRefused(
      await put([...many(2), { name: 'c1', description: '' }]),
      400,
      'commands: must not contain the same name twice',
    )
    expectRefused(await put({}), 400, 'commands')
    expectRefused(await chat.bot('PUT', '/commands', {}), 400, 'commands')
  })
})

describe('a message that starts with a registered command', () => {
  const heard = async (content: string) => {
    await chat.says('ann', content)
    const { data } = (await chat.events())[0]!
    return [data.command, data.args] as [unknown, unknown]
  }

  it.each<[string, string | undefined, string | undefined]>([
    ['/ping', 'ping', ''],
    ['!ping', 'ping', ''],
    ['/ping  a  b ', 'ping', 'a  b'],
    ['/ping\nsecond line', 'ping', 'second line'],
    ['/pingx', undefined, undefined],
    ['/PING', undefined, undefined],
    [' /ping', undefined, undefined],
    ['/ping\u200b', 'ping', ''],
    ['\u200f/ping\u200e \u200eme', 'ping', '\u200eme'],
    ['/ping\u200bx', undefined, undefined],
    ['ping', undefined, undefined],
    ['please /ping', undefined, undefined],
    ['//ping', undefined, undefined],
    ['/unknown', undefined, undefined],
    ['?ping', undefined, undefined],
  ])('%j: command %s with args %j, always a string [spec: decisions/4, 6/message]', async (content, command, args) => {
    await put([{ name: 'ping', description: '' }])
    expect(await heard(content)).toEqual([command, args])
  })

  it('has command and args only for the bot that registered it [spec: 6/message]', async () => {
    const helperHears = await chat.feedOf('token-of-helper')
    await put([{ name: 'ping', description: '' }])
    expect(await heard('/ping me')).toEqual(['ping', 'me'])
    const [event] = await helperHears()
    expect(event!.data['content']).toBe('/ping me')
    expect(event!.data).not.toHaveProperty('command')
    expect(event!.data).not.toHaveProperty('args')
  })

  it('has no command once the command is removed [spec: 4/commands.replace]', async () => {
    await put([{ name: 'ping', description: '' }])
    expect((await heard('/ping'))[0]).toBe('ping')
    await put([])
    expect((await heard('/ping'))[0]).toBeUndefined()
  })
})
