// @module-tag all/live
/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { expect, it } from 'vitest'
import { startTest } from '../test-tools/driver.test.fixture.ts'

// The long form is packages/workspace/soak/many-bots.mjs.
const BOTS_PER_SERVER = 10
const WRITERS = ['ann', 'bob', 'carol']
const MESSAGES = 20

it('polling bots receive each message of concurrent writers in their server once and in order', async () => {
  const servers = ['first', 'second'].map((name) => ({
    name,
    owner: 'ann',
    members: ['bob', 'carol'],
    bots: Array.from({ length: BOTS_PER_SERVER }, (_, index) => `${name}-${index}`),
    channels: [{ name: 'general' }],
  }))
  const names = servers.flatMap(({ bots }) => bots)
  const bots = [...names, 'pollster'].map((username) => ({ username, owner: 'ann', token: `token-of-${username}` }))
  const people = WRITERS.map((username) => ({ username }))
  await using chat = await startTest({
    world: { people, bots, servers: [...servers, { name: 'Workshop', owner: 'ann' }] },
  })
  const count = WRITERS.length * MESSAGES

  async function pollAll(bot: string) {
    const call = (path: string) => chat.bot('GET', path, undefined, `token-of-${bot}`)
    const received: string[] = []
    let { last } = (await call('/events?after=0')).body as { last: number }
    started()
    while (received.length < count) {
      const page = (await call(`/events?after=${last}&wait=25`)).body as {
        events: { id: number; data: { content: string } }[]
        last: number
      }
      const ids = page.events.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].filter((id) => id > last).sort((one, other) => one - other))
      received.push(...page.events.map(({ data }) => data.content))
      last = page.last
    }
    expect((await call(`/events?after=${last}`)).body.events).toEqual([])
    return received
  }

  let waiting = names.length
  let started = (): void => {}
  const allStarted = new Promise<void>((resolve) => (started = () => void (--waiting === 0 && resolve())))
  const polls = names.map(pollAll)
  await allStarted
  const writers = servers.flatMap(({ name }) =>
    WRITERS.map(async (writer) => {
      const path = `/channels/${chat.service.world.servers[name]!.channels['general']}/messages`
      for (let n = 0; n < MESSAGES; n++) {
        expect((await chat.person(writer, 'POST', path, { content: `${name} ${writer} ${n}` })).status).toBe(200)
      }
    }),
  )
  const [received] = await Promise.all([Promise.all(polls), ...writers])
  names.forEach((bot, index) => {
    const server = bot.split('-')[0]!
    for (const writer of WRITERS) {
      const own = received[index]!.filter((content) => content.startsWith(`${server} ${writer} `))
      expect(own).toEqual(Array.from({ length: MESSAGES }, (_, n) => `${server} ${writer} ${n}`))
    }
    expect(received[index]).toEqual(received[servers.findIndex(({ name }) => name === server) * BOTS_PER_SERVER])
  })
})
