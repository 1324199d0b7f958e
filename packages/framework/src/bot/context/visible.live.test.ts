import { systemClock } from '@botwright/clock'
import { expect, expectTypeOf, test } from 'vitest'
import type { ButtonContext, CommandContext, EventContext, LifecycleContext, MessageContext } from '../../index.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import type { BotServices } from '../services.ts'
import { TaskContext } from '../../features/tasks/task-handlers.ts'

// Authors see `ctx` in completions and in console.log(ctx). Internal members must not appear there.

/** The members of every context. */
const everywhere = [
  ...['api', 'broadcast', 'budget', 'button', 'clock', 'delete', 'dm', 'edit', 'env', 'log', 'me', 'once', 'options'],
  ...['purge', 'schedule', 'scheduled', 'send', 'state', 'unschedule'],
]
const inHandlers = [...everywhere, 'file', 'signal']
const onEvents = [
  ...inHandlers,
  ...['ack', 'answersLeft', 'ask', 'author', 'channel_id', 'choose', 'clicked', 'cooldown', 'deadline', 'envelope'],
  ...[
    'ephemeral',
    'event',
    'events',
    'isClick',
    'isCommand',
    'kind',
    'react',
    'redelivered',
    'reply',
    'server_id',
    'stream',
    'update',
  ],
  'user',
]
const onMessages = [...onEvents, 'content']
const inCommands = [...onMessages, 'args', 'command', 'commands', 'prefix', 'readArgs', 'typed']
const onClicks = [...onEvents, 'custom_id', 'isOver', 'params']
const inTasks = [...inHandlers, 'kind', 'name', 'payload', 'redelivered', 'scheduledAt']

/** The source of a function that lists the names of an object, inherited and own. */
const listing = `
  const named = (one) => {
    const names = new Set()
    for (let at = one; at && at !== Object.prototype && at !== Array.prototype; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
    return [...names].sort()
  }
  const logNames = (ctx) => ctx.log.info({ names: named(ctx), own: Reflect.ownKeys(ctx).map(String) }, ctx.kind ?? 'lifecycle')`

test('a context has exactly the public members', async () => {
  await using rig = await ChatRig.start()
  await rig.startBot(
    {
      'commands/look.ts': `${listing}
      export default async (ctx) => {
        logNames(ctx)
        const returned = { state: ctx.state, cell: ctx.state.user, cooldown: ctx.cooldown, broadcast: await ctx.broadcast([ctx.channel_id], 'x') }
        for (const [name, value] of Object.entries(returned)) ctx.log.info({ names: named(value) }, name)
        return { content: 'Click', components: [{ type: 'row', components: [{ type: 'button', style: 'primary', label: 'x', custom_id: 'press' }] }] }
      }`,
      'buttons/press.ts': `${listing}; export default (ctx) => { logNames(ctx); return 'done' }`,
      'events/message.ts': `${listing}; export default (ctx) => logNames(ctx)`,
      'events/ready.ts': `${listing}; export default (ctx) => logNames(ctx)`,
    },
    { dispatcher: 'inline' },
  )
  await rig.says('ann', 'a message')
  await rig.says('ann', '/look')
  await rig.clicks()
  const factsOf = (message: string) =>
    rig.lines.find((line) => line.message === message)?.facts as { names: string[]; own: string[] }
  await rig.until(() => factsOf('button') !== undefined || rig.lines.some(({ level }) => level === 'error'))
  expect(rig.lines.filter(({ level }) => level === 'error')).toEqual([])

  expect(factsOf('lifecycle')).toMatchObject({ names: everywhere, own: [] })
  expect(factsOf('event')).toMatchObject({ names: onMessages.sort(), own: ['file'] })
  expect(factsOf('command')).toMatchObject({ names: inCommands.sort(), own: ['file', 'command', 'typed'] })
  expect(factsOf('button')).toMatchObject({ names: onClicks.sort(), own: ['file', 'params'] })

  expect(factsOf('state').names).toEqual(['bot', 'channel', 'for', 'member', 'server', 'user'])
  expect(factsOf('cell').names).toEqual(['delete', 'get', 'set', 'update', 'updateWith'])
  expect(factsOf('cooldown').names).toEqual(['refund'])
  expect(factsOf('broadcast').names).toEqual(['cancel', 'done', 'id', 'progress', 'steps'])
})

test('the context of a task has exactly the public members', () => {
  const run = { task: 'daily', scheduledAtMs: 0, retry: false }
  const ctx = new TaskContext({ clock: systemClock } as BotServices, run, {
    file: 'tasks/daily.ts',
    redelivered: false,
  })
  const names = new Set<string>()
  for (let at: object = ctx; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
  expect([...names].sort()).toEqual(inTasks.sort())
  expect(Reflect.ownKeys(ctx)).toEqual(['file', 'kind', 'payload', 'redelivered'])
})

type Everywhere =
  | 'api'
  | 'broadcast'
  | 'budget'
  | 'button'
  | 'clock'
  | 'delete'
  | 'dm'
  | 'edit'
  | 'env'
  | 'log'
  | 'me'
  | 'once'
  | 'options'
  | 'purge'
  | 'schedule'
  | 'scheduled'
  | 'send'
  | 'state'
  | 'unschedule'
type OnEvents =
  | Everywhere
  | 'file'
  | 'signal'
  | 'stream'
  | 'ack'
  | 'answersLeft'
  | 'ask'
  | 'author'
  | 'channel_id'
  | 'choose'
  | 'clicked'
  | 'cooldown'
  | 'events'
  | 'deadline'
  | 'envelope'
  | 'ephemeral'
  | 'event'
  | 'isClick'
  | 'isCommand'
  | 'kind'
  | 'react'
  | 'redelivered'
  | 'reply'
  | 'server_id'
  | 'update'
  | 'user'

test('an editor completes exactly the public members', () => {
  expectTypeOf<keyof LifecycleContext>().toEqualTypeOf<Everywhere>()
  expectTypeOf<keyof EventContext>().toEqualTypeOf<OnEvents>()
  expectTypeOf<keyof MessageContext>().toEqualTypeOf<OnEvents | 'content'>()
  expectTypeOf<keyof CommandContext>().toEqualTypeOf<
    OnEvents | 'content' | 'args' | 'command' | 'commands' | 'prefix' | 'readArgs' | 'typed'
  >()
  expectTypeOf<keyof ButtonContext>().toEqualTypeOf<OnEvents | 'custom_id' | 'isOver' | 'params'>()
  expectTypeOf<keyof TaskContext>().toEqualTypeOf<
    Everywhere | 'file' | 'signal' | 'kind' | 'name' | 'payload' | 'redelivered' | 'scheduledAt'
  >()
  expectTypeOf<keyof LifecycleContext['state']>().toEqualTypeOf<
    'bot' | 'channel' | 'for' | 'member' | 'server' | 'user'
  >()
  expectTypeOf<keyof EventContext['cooldown']>().toEqualTypeOf<'refund'>()
})
