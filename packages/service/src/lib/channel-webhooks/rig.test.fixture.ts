/* oxlint-disable typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import type { ServiceOptions } from '../start/start-service.ts'
import { type Answer, startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import type { World } from '../world/world.ts'

export interface Made {
  webhook: { id: string; name: string }
  url: string
}

/** A running service with helpers for a channel webhook. ann owns the server; dora manages its webhooks. */
export async function startWebhooks(change: (world: World) => void = () => {}, options: ServiceOptions = {}) {
  const world = testWorld()
  world.people!.push({ username: 'dora' })
  const [workshop] = world.servers!
  workshop!.members!.push('dora')
  workshop!.roles!.push({ name: 'hooks', permissions: ['manage_webhooks'], members: ['dora'] })
  change(world)
  const chat = await startTest({ world, ...options })
  const create = (name = 'Build', by = 'dora', channel = 'general', more: object = {}) =>
    chat.person(by, 'POST', `${chat.channel(channel)}/webhooks`, { name, ...more })
  const make = async (...args: Parameters<typeof create>) => {
    const { status, body } = await create(...args)
    if (status !== 200) throw new Error(`webhook: ${status} ${JSON.stringify(body)}`)
    return body as Made
  }
  const pathOf = (url: string) => url.slice(chat.service.url.length)
  const post = (url: string, body: unknown, query = ''): Promise<Answer> =>
    chat.call('POST', pathOf(url) + query, { body })
  return {
    ...chat,
    create,
    make,
    post,
    get: (url: string) => chat.call('GET', pathOf(url)),
    list: (by = 'dora', channel = 'general') => chat.person(by, 'GET', `${chat.channel(channel)}/webhooks`),
    shown: async (by = 'ann') => (await chat.person(by, 'GET', `${chat.channel('general')}/messages`)).body,
  }
}
export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>
