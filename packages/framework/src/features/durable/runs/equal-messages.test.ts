import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, turns } from './restarts.test.fixture.ts'

// Two runs that post equal messages, and a crash.

interface Posted {
  id: string
  author_id: string
  content: unknown
  created_at: string
}

/** A channel. `lost`: the numbers of posts during which the process dies, before (false) or after (true) they have taken effect. */
function channel({ clock }: Restarts, lost: Record<number, boolean>) {
  const messages: Posted[] = []
  let posts = 0
  const call = (async (name: string, { content }: Record<string, unknown>) => {
    if (name === 'messages.list') return { messages }
    const effect = lost[++posts]
    const created_at = new Date(clock.now()).toISOString()
    const posted = { id: id(500 + posts), author_id: id(1), content, created_at }
    if (effect !== false) messages.push(posted)
    return effect === undefined ? posted : new Promise(() => {})
  }) as unknown as Call
  return { call, messages }
}

const files = { 'commands/go.ts': durable("await ctx.send(ctx.channel_id, 'Reminder!')") }

test.each([
  ['has not been posted', false],
  ['has been posted', true],
])('a run whose message %s does not adopt the equal message of another run', async (_, effect) => {
  const rig = new Restarts()
  const { call, messages } = channel(rig, { 2: effect })
  const { bot } = await rig.start(files, { call })
  await bot.handle(message({ command: 'go' }))
  const second = message({ command: 'go' })
  void bot.handle(second)
  await turns()
  const after = await rig.start(files, { call })
  await after.bot.handle(second)
  expect(messages.map((one) => one.content)).toEqual(['Reminder!', 'Reminder!'])
})

test('two runs adopt one message each', async () => {
  const rig = new Restarts()
  const { call, messages } = channel(rig, { 1: true, 2: true })
  const { bot } = await rig.start(files, { call })
  const events = [message({ command: 'go' }), message({ command: 'go' })]
  for (const event of events) void bot.handle(event)
  await turns()
  const after = await rig.start(files, { call })
  await Promise.all(events.map(async (event) => after.bot.handle(event)))
  expect(messages).toHaveLength(2)
})
