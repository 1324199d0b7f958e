import { VirtualClock } from '@botwright/clock'
import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { choice } from '../../../author/buttons/face.ts'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { click, id, message, start } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, texts, turns } from './restarts.test.fixture.ts'

// A click counts even if its message can no longer be edited, or the click can no longer be answered.

const anyone = "guard({ describe: 'x', refusal: '', check: () => true })"
const closed = "guard({ describe: 'x', refusal: '', check: () => false })"
const approve = (by: string) =>
  durable(`
    const decision = await ctx.approve({ in: '${id(20)}', title: 'May I?', by: ${by}, timeout: '3d' })
    return decision.approved ? 'approved' : 'declined: ' + decision.reason`).replace(
    '{ command }',
    '{ command, guard }',
  )
const choose = "export default async (ctx) => 'chose ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '3d' }))"

/** Posts the request of a command, and clicks. `fails`: the calls that the service refuses, as `name` or `name type`. */
async function clicked(code: string, value: string, fails: string[], refusal = 'ERR_REFUSED') {
  const clock = new VirtualClock()
  const calls: [string, Record<string, unknown>][] = []
  const call = (async (name: string, input: Record<string, unknown>) => {
    calls.push([name, input])
    if (fails.includes(name) || fails.includes(`${name} ${String(input['type'])}`))
      throw new BotwrightError(refusal as 'ERR_REFUSED', `${name}: refused`)
    return name === 'messages.create'
      ? { id: id(60), channel_id: input['channel_id'], content: 'x', created_at: new Date(clock.now()).toISOString() }
      : { ok: true }
  }) as unknown as Call
  const host = { call, clock, store: new MemoryStore(clock) }
  const { bot, logged } = await start({ 'commands/go.ts': code }, {}, host)
  void bot.handle(message({ command: 'go' }))
  await turns()
  void bot.handle(click(choice(value, { label: 'x' }).custom_id!))
  await turns()
  return { calls, logged }
}

const update = 'interactions.callback update'

test.each([
  ['the message is deleted', [update, 'messages.update'], 'ERR_REFUSED'],
  ['the click is over', [update], 'ERR_INTERACTION_EXPIRED'],
  ['the click is unknown', [update, 'messages.update'], 'ERR_INTERACTION_UNKNOWN'],
  ['the bot may no longer write there', [update, 'messages.update'], 'ERR_FORBIDDEN'],
  ['the service does not answer', [update, 'messages.update'], 'ERR_NO_ANSWER'],
])('an approval counts although %s', async (_, fails, refusal) => {
  const { calls, logged } = await clicked(approve(anyone), 'yes', fails, refusal)
  expect(texts(calls).slice(1)).toEqual(['approved'])
  expect(calls.map(([name]) => name)).toContain('messages.update')
  expect(logged.length).toBe(fails.length - 1)
})

test('a choice counts although its message is deleted', async () => {
  const { calls } = await clicked(choose, '1', [update, 'messages.update'])
  expect(texts(calls).slice(1)).toEqual(['chose b'])
})

test('a request that is declined counts although the person cannot be asked for the reason', async () => {
  const { calls } = await clicked(approve(anyone), 'no', ['interactions.callback', 'messages.update'])
  expect(texts(calls).slice(1)).toEqual(['declined: no reason given'])
})

test('a click that may not decide does not end the run, although it cannot be acknowledged', async () => {
  const { calls, logged } = await clicked(approve(closed), 'yes', ['interactions.callback'])
  expect(texts(calls)).toEqual(['May I?'])
  expect(logged.join()).toContain('a click cannot be acknowledged')
})
