/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@botwright/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { checkWorld } from '../world/world.ts'
import { startOn, startService } from './start-service.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeAll(async () => void (chat = await startTest()))
afterAll(() => chat.close())

const messages = () => `${chat.channel('general')}/messages`

describe('the flow of a message', () => {
  it('a person posts, the bot receives it immediately and answers [spec: 6/message, 4/events.list, 4/messages.create]', async () => {
    const { last } = (await chat.bot('GET', '/events?after=0')).body
    const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
    const written = await chat.person('ann', 'POST', messages(), { content: 'hello' })
    expect(written.status).toBe(200)
    const { events } = (await poll).body
    expect(events).toMatchObject([
      { type: 'message', data: { id: written.body.id, content: 'hello', author: 'ann', author_bot: false } },
    ])
    const reply = await chat.bot('POST', messages(), { content: 'hi', reply_to: written.body.id })
    expect(reply).toMatchObject({ status: 200, body: { content: 'hi', reply_to_id: written.body.id, embeds: [] } })
    const list = await chat.person('bob', 'GET', messages())
    expect(list.body.messages.map((each: { content: string }) => each.content)).toEqual(['hello', 'hi'])
  })

  it('a click becomes an interaction, and its answer a message [spec: 6/interaction, 4/interactions.callback, 8/interaction]', async () => {
    const { answer, data, state } = await chat.clicked()
    expect(data).toMatchObject({ type: 'button', custom_id: 'yes', username: 'ann' })
    expect((await state()).body).toEqual({ state: 'waiting', answers: [] })
    expect(await answer({ type: 'reply', content: 'thanks' })).toMatchObject({ status: 200, body: { ok: true } })
    expect((await state()).body).toMatchObject({
      state: 'answered',
      answers: [{ type: 'reply', message: { content: 'thanks' } }],
    })
  })
})

it('frees its port if the data file cannot be written at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-start-'))
  try {
    const data = join(folder, 'chat.db')
    const { port, close } = await startService({ port: 0, data, world: testWorld() })
    await close()
    using other = openDatabase(data)
    other.exec('BEGIN IMMEDIATE')
    const locked = openDatabase(data, { busyTimeoutMs: 0 })
    await expect(startOn(locked, { port }, checkWorld({}))).rejects.toMatchObject({ code: 'busy' })
    other.exec('ROLLBACK')
    await using again = await startService({ port, data })
    expect(again).toMatchObject({ port, resumed: true })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
