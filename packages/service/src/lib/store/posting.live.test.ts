import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'

let chat: Awaited<ReturnType<typeof startTest>>
beforeEach(async () => {
  const world = testWorld()
  const channels = world.servers![0]!.channels!
  channels.find(({ name }) => name === 'random')!.slowmode = 30
  channels.find(({ name }) => name === 'staff')!.members = ['carol']
  chat = await startTest({ world })
})
afterEach(() => chat.close())

const path = (name = 'general') => `${chat.channel(name)}/messages`
const refusal = ({ status, body }: { status: number; body: unknown }) => [status, (body as { error: string }).error]

describe('slowmode', () => {
  it('is not shortened by deleting the last message [spec: 8/channel_slowmode, decisions/50]', async () => {
    const { body } = await chat.bot('POST', path('random'), { content: '1' })
    await chat.clock.advance(10_000)
    expect((await chat.bot('DELETE', `${path('random')}/${(body as { id: string }).id}`)).status).toBe(200)
    const refused = await chat.bot('POST', path('random'), { content: '2' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '20'])
    await chat.clock.advance(20_000)
    expect((await chat.bot('POST', path('random'), { content: '2' })).status).toBe(200)
  })

  it('does not count refused messages [spec: 8/channel_slowmode]', async () => {
    expect((await chat.bot('POST', path('random'), { content: 'a slur-for-tests' })).status).toBe(400)
    expect((await chat.bot('POST', path('random'), { content: 'fine' })).status).toBe(200)
  })
})

describe('a data file of a service whose clock was moved', () => {
  const startMs = Date.parse('2026-03-01T08:00:00Z')
  let folder: string
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'botwright-posting-'))))
  afterEach(() => rm(folder, { recursive: true }))

  it('has messages and violations that are not recent, whatever the clock of the next service shows [spec: 8/channel_slowmode, decisions/24, decisions/31]', async () => {
    const world = testWorld()
    world.servers![0]!.channels!.find(({ name }) => name === 'random')!.slowmode = 30
    const opened = (ms: number) => startTest({ world, data: join(folder, 'chat.db'), clock: new VirtualClock(ms) })
    let ids: Readonly<Record<string, string>>
    const sent = async (service: typeof chat, name: string, content: string) =>
      (await service.bot('POST', `/channels/${ids[name]}/messages`, { content })).status
    {
      await using later = await opened(startMs + 7 * 24 * 60 * 60_000)
      ids = later.workshop.channels
      for (const name of ['general', 'random']) expect(await sent(later, name, 'pong')).toBe(200)
      for (let i = 0; i < 2; i++) expect(await sent(later, 'general', 'a slur-for-tests')).toBe(400)
    }
    await using now = await opened(startMs)
    const statuses = [await sent(now, 'general', 'pong'), await sent(now, 'random', 'pong')]
    expect(await sent(now, 'general', 'a slur-for-tests')).toBe(400)
    expect([...statuses, (await now.bot('GET', '/me')).status]).toEqual([200, 200, 200])
    // The new ones are recent.
    expect([await sent(now, 'general', 'pong'), await sent(now, 'random', 'more')]).toEqual([429, 429])
  })
})

describe('a timed-out bot', () => {
  it('cannot post, edit, react or answer clicks with text [spec: 4/moderation.timeout]', async () => {
    const { answer, messageId } = await chat.clicked()
    const minutes = 5
    await chat.person('ann', 'POST', `${chat.server}/timeouts`, { user_id: chat.botId, minutes })
    const timedOut = [403, expect.stringContaining('timed out')]
    expect(refusal(await chat.bot('POST', path(), { content: 'x' }))).toEqual(timedOut)
    expect(refusal(await chat.bot('PATCH', `${path()}/${messageId}`, { content: 'x' }))).toEqual(timedOut)
    const reaction = `${path()}/${messageId}/reactions/${encodeURIComponent('👍')}`
    expect(refusal(await chat.bot('PUT', reaction))).toEqual(timedOut)
    for (const type of ['reply', 'update']) expect(refusal(await answer({ type, content: 'x' }))).toEqual(timedOut)
    expect((await answer({ type: 'ephemeral', content: 'only you' })).status).toBe(200)
    await chat.clock.advance(minutes * 60_000)
    expect((await answer({ type: 'reply', content: 'x' })).status).toBe(200)
  })
})

describe('a removed member', () => {
  it('receives no clicks, and the click fails [spec: 6/interaction]', async () => {
    const { messageId } = await chat.clicked()
    const bot = `${chat.server}/bots/${chat.botId}`
    await chat.person('ann', 'DELETE', bot)
    await chat.events()
    const click = await chat.person('bob', 'POST', `${path()}/${messageId}/clicks`, { custom_id: 'yes' })
    expect(click.status).toBe(200)
    expect(await chat.events()).toEqual([])
    await chat.clock.advance(3000)
    const { interaction_id } = click.body as { interaction_id: string }
    expect((await chat.person('bob', 'GET', `/clicks/${interaction_id}`)).body).toMatchObject({ state: 'failed' })
  })

  it('has no access to private channels after rejoining', async () => {
    const staff = () => chat.person('carol', 'GET', path('staff'))
    expect((await staff()).status).toBe(200)
    await chat.person('ann', 'POST', `${chat.server}/kick`, { user_id: chat.userId('carol') })
    expect((await staff()).status).toBe(403)
    expect((await chat.person('carol', 'PUT', `${chat.server}/members/me`)).status).toBe(200)
    expect((await staff()).status).toBe(404)
  })
})

describe('while a body is being sent', () => {
  it('lost access applies to the call [spec: 7/403, 7/401]', async () => {
    // The service requests the body once it handles the call; only then does the test change something.
    const slow = async (url: string, token: string, meanwhile: () => Promise<unknown>) => {
      const body = '{"content":"late"}'
      const socket = connect(chat.service.port, '127.0.0.1')
      let heard = ''
      socket.on('data', (data) => (heard += data.toString()))
      socket.write(
        `POST ${url} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${token}\r\ncontent-type: application/json\r\n` +
          `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
      )
      await expect.poll(() => heard).toContain('100 Continue')
      await meanwhile()
      socket.write(body)
      await expect.poll(() => heard).toMatch(/HTTP\/1.1 [2-5]/)
      socket.destroy()
      return Number(/HTTP\/1.1 ([2-5]\d\d)/.exec(heard)![1])
    }
    const person = `Person ${chat.service.world.people['carol']!.token}`
    const deleted = () => chat.person('ann', 'DELETE', chat.channel('random'))
    expect(await slow(`/people/v1${path()}`, person, () => Promise.resolve())).toBe(200)
    expect(await slow(`/people/v1${path('random')}`, person, deleted)).toBe(404)
    const kicked = () => chat.person('ann', 'POST', `${chat.server}/kick`, { user_id: chat.userId('carol') })
    expect(await slow(`/people/v1${path()}`, person, kicked)).toBe(403)
    const renewed = () => chat.person('ann', 'POST', `/bots/${chat.botId}/token`)
    expect(await slow(`/v1${path()}`, 'Bot token-of-pollster', renewed)).toBe(401)
  })
})
