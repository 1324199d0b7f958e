import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { id, message } from '../../../tests/loaded-bot.test.fixture.ts'
import { durable, Restarts, turns } from './restarts.test.fixture.ts'

// The process dies while the user of a failed handler is notified.

const bots = {
  'an unanswered question': "return ctx.ask('Name?', { timeout: '1m' })",
  'an error': "await ctx.sleep('1m'); throw new Error('it broke')",
}

const isNotice = /^(No answer|Something)/

test.each(Object.entries(bots))('a run that dies while it reports %s ends as if it had not', async (_, code) => {
  const rig = new Restarts()
  let dies = true
  const posted: Record<string, unknown>[] = []
  const call = (async (name: string, { content, reply_to }: Record<string, unknown>) => {
    if (name === 'messages.list') return { messages: posted }
    const created_at = new Date(rig.clock.now()).toISOString()
    const facts = { channel_id: id(20), author_id: id(1), reply_to_id: reply_to, components: [] }
    posted.push({ ...facts, id: id(500 + posted.length), content, created_at })
    return dies && isNotice.test(String(content)) ? new Promise(() => {}) : posted.at(-1)
  }) as unknown as Call
  const files = { 'commands/go.ts': durable(code) }
  const { bot } = await rig.start(files, { call })
  await bot.handle(message({ command: 'go' }))
  await rig.clock.advance(61_000)
  void rig.wake(bot)
  await turns()
  const former = posted.map(({ content }) => content)
  expect(former.at(-1)).toMatch(isNotice)
  dies = false
  const after = await rig.start(files, { call })
  await rig.wake(after.bot)
  await turns()
  expect(posted.map(({ content }) => content)).toEqual(former)
  expect(after.logged.join()).not.toContain('the record has')
  expect(await rig.head()).toMatchObject({ status: code.includes('ask') ? 'done' : 'failed' })
})
