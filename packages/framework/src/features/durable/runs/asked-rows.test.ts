import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { choice } from '../../../author/buttons/face.ts'
import { click, id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, texts, turns } from './restarts.test.fixture.ts'

// The rows that lead to a run whose question is being posted.

const choose = durable("return 'chose ' + (await ctx.choose('Which?', ['a', 'b'], { timeout: '3d' }))")
const ask = durable("return 'got ' + (await ctx.ask('Name?', { timeout: '3d' }))")

/** A bot whose first message is posted when `post` is called. */
async function start(code: string) {
  const rig = new Restarts()
  const calls: [string, Record<string, unknown>][] = []
  let post!: () => void
  const posted = new Promise<void>((resolve) => (post = resolve))
  const call = (async (name: string, input: Record<string, unknown>) => {
    calls.push([name, input])
    if (name !== 'messages.create') return { ok: true }
    await posted
    return { id: id(60), channel_id: input['channel_id'], content: 'x' }
  }) as unknown as Call
  const { bot } = await rig.start({ 'commands/go.ts': code }, { call })
  const event = message({ command: 'go' })
  const done = bot.handle(event)
  await turns()
  const keys = async () => (await rig.store.list('run:key:')).map(({ key }) => key.slice('run:key:'.length))
  return { rig, bot, calls, post, done, keys, run: String(event.event.id) }
}

test('a row of its channel leads to a run that posts a choice, until it waits for the click', async () => {
  const { keys, run, post, done, bot, calls } = await start(choose)
  expect(await keys()).toEqual([`post:${id(20)}:${run}`])
  post()
  await done
  expect(await keys()).toEqual([`click:${id(60)}`])
  await bot.handle(click(choice('1', { label: 'b' }).custom_id!))
  expect(texts(calls).at(-1)).toBe('chose b')
  expect(await keys()).toEqual([])
})

test.each([
  ['choice', choose, `click:${id(60)}`],
  ['question', ask, `text:${id(20)}:${id(40)}`],
])('a row leads to a run that is stored while it posts a %s for long', async (_, code, key) => {
  const { rig, keys, post, done } = await start(code)
  const [before] = await keys()
  await rig.clock.advance(60_000, turns)
  expect(await rig.store.list('run:head:')).toHaveLength(1)
  expect(await keys()).toEqual([before])
  post()
  await done
  await turns()
  expect(await keys()).toEqual([key])
})
