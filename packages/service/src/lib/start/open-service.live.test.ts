import { expect, it, vi } from 'vitest'
import { openService, type OpenService } from './open-service.ts'
import { testWorld } from '../test-tools/driver.test.fixture.ts'

const send = async (service: OpenService, method: string, path: string, body?: object): Promise<Response> => {
  const headers = {
    host: '127.0.0.1',
    authorization: `Person ${service.world.people['ann']!.token}`,
    'content-type': 'application/json',
  }
  const request = new Request(`${service.url}/people/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return service.answer(request, new AbortController().signal)
}

/** A service whose event webhook does not respond until `release` is called, and the texts of its posts. */
function openWithWebhook() {
  const world = testWorld()
  world.bots![0]!.event_webhook = { url: 'https://bot.example.com/events', secret: 'secret' }
  const texts: string[] = []
  let release!: () => void
  const released = new Promise<void>((resolve) => (release = resolve))
  const service = openService({
    world,
    async postEvent({ body }) {
      texts.push((JSON.parse(body) as { data: { content: string } }).data.content)
      await released
    },
  })
  const path = `/channels/${service.world.servers['Workshop']!.channels['general']!}/messages`
  const say = async (content: string) =>
    expect((await send(service, 'POST', path, { content })).status, content).toBe(200)
  return { service, texts, release, say }
}

it('posts each event once after the ids of events have started again', async () => {
  const { service, texts, release, say } = openWithWebhook()
  for (const content of ['posting', 'waiting', 'waiting, too']) await say(content)
  service.renumber()
  for (const content of ['first', 'second', 'third']) await say(content)
  release()
  await expect.poll(() => texts.at(-1)).toBe('third')
  expect(texts).toEqual(['posting', 'first', 'second', 'third'])
  service.close()
})

it('posts nothing once it is closed, and logs nothing about it', async () => {
  const { service, texts, release, say } = openWithWebhook()
  for (const content of ['posting', 'waiting']) await say(content)
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  service.close()
  release()
  await new Promise((resolve) => setImmediate(resolve))
  expect([texts, log.mock.calls]).toEqual([['posting'], []])
  log.mockRestore()
})

it.each([
  ['deleted twice', 'DELETE', ''],
  ['deleted while it gets a new URL', 'POST', '/url'],
])('finds no channel webhook that is %s at once', async (_, method, at) => {
  const service = openService({ world: testWorld() })
  const path = `/channels/${service.world.servers['Workshop']!.channels['general']!}/webhooks`
  const { webhook } = (await (await send(service, 'POST', path, { name: 'Build' })).json()) as {
    webhook: { id: string }
  }
  const one = `/webhooks/${webhook.id}`
  const answers = await Promise.all([send(service, 'DELETE', one), send(service, method, one + at)])
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
  service.close()
})
