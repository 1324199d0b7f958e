/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { type Database, openDatabase, type Row, type Value } from '@botwright/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSpec, type Spec, specWorld } from '../spec/rig.test.fixture.ts'
import { startOn } from '../start/start-service.ts'
import { checkWorld } from '../world/world.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec({ controls: true })))
afterEach(() => chat.close())

/** Fills all caches of a channel: the bots read it, and receive a message in it. */
async function warmUp(channel = 'general') {
  const feed = await chat.feedOf('token-of-pollster')
  const status = async () => (await chat.bot('GET', chat.messages(channel))).status
  await chat.helper('GET', chat.messages(channel))
  await status()
  let said = 0
  /** Whether the bot receives a message in the channel. */
  const receives = async () => {
    const content = `message ${said++}`
    expect((await chat.person('ann', 'POST', chat.messages(channel), { content })).status).toBe(200)
    return (await feed()).some(({ data }) => data['content'] === content)
  }
  await receives()
  return { status, receives }
}

describe('a change takes effect at once', () => {
  it('when a bot is removed and added again', async () => {
    const { status, receives } = await warmUp()
    const bot = `${chat.server}/bots/${chat.botId}`
    expect((await chat.person('ann', 'DELETE', bot)).status).toBe(200)
    expect([await status(), await receives()]).toEqual([403, false])
    expect((await chat.person('ann', 'PUT', bot)).status).toBe(200)
    expect([await status(), await receives()]).toEqual([200, true])
  })

  it('when a bot is kicked or banned', async () => {
    for (const call of ['kick', 'bans']) {
      const { status, receives } = await warmUp()
      expect((await chat.helper('POST', `${chat.server}/${call}`, { user_id: chat.botId })).status).toBe(200)
      expect([await status(), await receives()]).toEqual([403, false])
      await chat.person('ann', 'PUT', `${chat.server}/bots/${chat.botId}`)
    }
  })

  it('when a channel becomes private, and its role is given and deleted', async () => {
    const { status, receives } = await warmUp()
    const member = `${chat.server}/members/${chat.botId}/roles/${chat.role('mods')}`
    const closed = { private: true, role_ids: [chat.role('mods')] }
    expect((await chat.person('ann', 'PATCH', chat.channel('general'), closed)).status).toBe(200)
    expect([await status(), await receives()]).toEqual([404, false])
    expect((await chat.person('ann', 'PUT', member)).status).toBe(200)
    expect([await status(), await receives()]).toEqual([200, true])
    const pin = async () => {
      const { id } = await chat.says('ann', `to be pinned`)
      return (await chat.bot('PUT', `${chat.messages()}/${id}/pin`)).status
    }
    expect(await pin()).toBe(200)
    const role = `${chat.server}/roles/${chat.role('mods')}`
    expect((await chat.person('ann', 'PATCH', role, { permissions: [] })).status).toBe(200)
    expect(await pin()).toBe(403)
    expect((await chat.person('ann', 'DELETE', role)).status).toBe(200)
    expect([await status(), await receives()]).toEqual([404, false])
  })

  it('when a bot gets a new token', async () => {
    await warmUp()
    const { token } = (await chat.person('ann', 'POST', `/bots/${chat.botId}/token`)).body as { token: string }
    expect((await chat.bot('GET', '/me')).status).toBe(401)
    expect((await chat.bot('GET', '/me', undefined, token)).status).toBe(200)
  })

  it('when a bot is banned from the service, or deleted', async () => {
    await warmUp()
    for (let n = 0; n < 3; n++) await chat.bot('POST', chat.messages(), { content: `slur-for-tests ${n}` })
    expect((await chat.bot('GET', '/me')).status).toBe(401)
    expect((await chat.person('ann', 'GET', '/me')).status).toBe(403)
    expect((await chat.stranger('GET', '/me')).status).toBe(200)
    const stranger = chat.service.world.bots['stranger']!.id
    expect((await chat.person('eve', 'DELETE', `/bots/${stranger}`)).status).toBe(200)
    expect((await chat.stranger('GET', '/me')).status).toBe(401)
  })

  it('when a profile, a setting of a person or the commands of a bot change', async () => {
    await warmUp()
    const name = async () => (await chat.bot('GET', '/me')).body.display_name as string | null
    expect(await name()).toBeNull()
    await chat.bot('PATCH', '/me', { display_name: 'Polly' })
    expect(await name()).toBe('Polly')
    const dm = async () => (await chat.bot('POST', `/users/${chat.userId('bob')}/dm`)).status
    expect(await dm()).toBe(200)
    await chat.person('bob', 'PATCH', '/me', { accepts_dms: false })
    expect(await dm()).toBe(403)
    const command = async () => {
      await chat.events()
      await chat.says('bob', '/poll now')
      return ((await chat.events())[0]!.data as { command?: string }).command
    }
    expect(await command()).toBeUndefined()
    await chat.bot('PUT', '/commands', { commands: [{ name: 'poll', description: '' }] })
    expect(await command()).toBe('poll')
  })

  it('when a member is timed out, and when the timeout ends', async () => {
    await warmUp()
    const post = async (content: string) => (await chat.bot('POST', chat.messages(), { content })).status
    expect(await post('before')).toBe(200)
    await chat.person('ann', 'POST', `${chat.server}/timeouts`, { user_id: chat.botId, minutes: 5 })
    expect(await post('during')).toBe(403)
    await chat.clock.advance(5 * 60_000)
    expect(await post('after')).toBe(200)
  })

  it('when a channel is deleted', async () => {
    const { status } = await warmUp('random')
    expect((await chat.person('ann', 'DELETE', chat.channel('random'))).status).toBe(200)
    expect(await status()).toBe(404)
  })

  it('when the world is reset', async () => {
    await warmUp()
    await chat.person('ann', 'DELETE', `${chat.server}/bots/${chat.botId}`)
    await chat.bot('PATCH', '/me', { display_name: 'Polly' })
    expect((await chat.call('POST', '/controls/v1/reset')).status).toBe(200)
    const { status, receives } = await warmUp()
    expect([await status(), await receives()]).toEqual([200, true])
    expect((await chat.bot('GET', '/me')).body.display_name).toBeNull()
  })
})

it('a refused change leaves nothing behind', async () => {
  const { status, receives } = await warmUp()
  // The first part of the change is undone, because a role does not exist.
  const change = { private: true, role_ids: ['00000000-0000-0000-0000-000000000009'] }
  expect((await chat.person('ann', 'PATCH', chat.channel('general'), change)).status).toBe(400)
  expect([await status(), await receives()]).toEqual([200, true])
})

/** A database that counts the statements that read. */
function countingDatabase(): { db: Database; reads: string[] } {
  const db = openDatabase(':memory:')
  const reads: string[] = []
  const original = db.prepare.bind(db)
  const prepare = <R = Row>(text: string) => {
    const statement = original<R>(text)
    return {
      run: (...values: Value[]) => statement.run(...values),
      get: (...values: Value[]) => (reads.push(text), statement.get(...values)),
      all: (...values: Value[]) => (reads.push(text), statement.all(...values)),
    }
  }
  return { db: Object.assign(db, { prepare }), reads }
}

it.each([
  ['of a bot', '/v1', 'Bot token-of-pollster'],
  ['of a person', '/people/v1', 'Person token-of-bob'],
])('a message %s to a channel with bots takes at most 5 reads', async (_, base, authorization) => {
  const { db, reads } = countingDatabase()
  const world = specWorld()
  world.people![1]!.token = 'token-of-bob'
  await using service = await startOn(db, { port: 0 }, checkWorld(world))
  const path = `${base}/channels/${service.world.servers['Workshop']!.channels['general']!}/messages`
  const post = async (body: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { id: string }
  }
  const { id } = await post({ content: 'the first one' })
  reads.length = 0
  await post({ content: '/poll a reply to <@somebody>', reply_to: id })
  expect(reads.length, reads.join('\n')).toBeLessThanOrEqual(5)
})
