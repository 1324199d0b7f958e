/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { VirtualClock } from '@botwright/clock'
import type { PolledEvent } from '@botwright/protocol'
import { expectDocumented } from './documented-statuses.test.fixture.ts'
import { type ServiceOptions, startService } from '../start/start-service.ts'
import { defaultWorld } from '../world/default-world.ts'
import type { World } from '../world/world.ts'

/** The body of a response, loosely typed for tests. */
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

/** The world of most tests: the default one plus a role, and a second bot that is not in the server. */
export const testWorld = (): World => {
  const world = defaultWorld('pollster', 'token-of-pollster')
  world.bots!.push({ username: 'stranger', owner: 'carol', token: 'token-of-stranger' })
  world.servers![0]!.roles = [{ name: 'mods', permissions: ['manage_messages'], members: ['bob'] }]
  world.servers![0]!.channels!.push({ name: 'news', read_only: true, post_roles: ['mods'] })
  return world
}

/** A running service with helpers to call it over HTTP. For this package's own tests. */
export async function startTest(options: ServiceOptions = {}) {
  const clock = new VirtualClock()
  const service = await startService({ port: 0, world: testWorld(), clock, ...options })
  const call = async (
    method: string,
    path: string,
    {
      auth,
      body,
      raw,
      headers,
    }: { auth?: string; body?: unknown; raw?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        ...(auth !== undefined && { authorization: auth }),
        ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
    })
    const text = await answer.text()
    // Fault switches can return undocumented responses.
    if (options.controls !== true) expectDocumented(method, path, answer.status)
    return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const bot = (method: string, path: string, body?: unknown, token = 'token-of-pollster') =>
    call(method, `/v1${path}`, { auth: `Bot ${token}`, body })
  const person = (name: string, method: string, path: string, body?: unknown) =>
    call(method, `/people/v1${path}`, { auth: `Person ${service.world.people[name]!.token}`, body })
  const workshop = service.world.servers['Workshop']!
  const channel = (name: string) => `/channels/${workshop.channels[name]!}`
  let cursor = ((await bot('GET', '/events?after=0')).body as { last: number }).last
  return {
    service,
    clock,
    call,
    bot,
    person,
    workshop,
    server: `/servers/${workshop.id}`,
    channel,
    botId: service.world.bots['pollster']!.id,
    userId: (name: string) => service.world.people[name]!.id,
    /** Returns the bot's new events since the last call. */
    async events(): Promise<(PolledEvent & { data: Body })[]> {
      const page = (await bot('GET', `/events?after=${cursor}`)).body as { events: PolledEvent[]; last: number }
      cursor = page.last
      return page.events
    },
    /** Posts a message with one button as the bot, and clicks it as a person. */
    async clicked(name = 'ann', customId = 'yes') {
      const components = [
        { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Yes', custom_id: customId }] },
      ]
      const posted = await bot('POST', `${channel('general')}/messages`, { content: `vote ${customId}`, components })
      const made = await person(name, 'POST', `${channel('general')}/messages/${posted.body.id}/clicks`, {
        custom_id: customId,
      })
      const event = (await this.events()).find((each) => each.type === 'interaction')
      const answer = (body: unknown) =>
        call('POST', `/v1/interactions/${event?.data.id}/${event?.data.token}/callback`, { body })
      const state = () => person(name, 'GET', `/clicks/${made.body.interaction_id}`)
      return { messageId: posted.body.id as string, made, data: event?.data, answer, state }
    },
    close: () => service.close(),
    [Symbol.asyncDispose]: () => service.close(),
  }
}
