import { permissions, type Permission } from '@botwright/protocol'
import { expect } from 'vitest'
import type { ServiceOptions } from '../start/start-service.ts'
import { type Answer, startTest } from '../test-tools/driver.test.fixture.ts'
import type { World } from '../world/world.ts'

export type { Answer } from '../test-tools/driver.test.fixture.ts'

/** An unused id. */
export const unknown = '00000000-0000-0000-0000-000000000001'
export const anyId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string
export const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string

/**
 * ann owns Workshop. The bot "helper" has the role `bots` (position 5, all permissions). The roles of bob and carol are below it, that of
 * dora is above it. "pollster" has no role; "stranger" is not in any server. dora owns Annex; pollster and bob are in it, too.
 */
export const specWorld = (): World => ({
  people: [
    { username: 'ann' },
    { username: 'bob' },
    { username: 'carol' },
    { username: 'dora' },
    { username: 'eve' },
    { username: 'sam', staff: true },
    { username: 'paula', tier: 'paid' },
  ],
  bots: [
    { username: 'pollster', owner: 'ann', token: 'token-of-pollster' },
    { username: 'helper', owner: 'ann', token: 'token-of-helper' },
    { username: 'stranger', owner: 'eve', token: 'token-of-stranger' },
  ],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob', 'carol', 'dora', 'sam'],
      bots: ['pollster', 'helper'],
      roles: [
        { name: 'crew', position: 1, members: ['carol'] },
        { name: 'mods', position: 2, permissions: ['manage_messages'], members: ['bob'] },
        { name: 'bots', position: 5, permissions: [...permissions], members: ['helper'] },
        { name: 'chief', position: 9, color: '#ff0000', members: ['dora'] },
      ],
      categories: [{ name: 'Talk' }, { name: 'Work' }],
      channels: [
        { name: 'general' },
        { name: 'random' },
        { name: 'news', read_only: true, post_roles: ['crew'] },
        { name: 'staff', private: true, roles: ['mods'] },
        { name: 'Lounge', type: 'voice' },
        { name: 'work', category: 'Work' },
        { name: 'talk', category: 'Talk' },
      ],
    },
    {
      name: 'Annex',
      owner: 'dora',
      members: ['bob'],
      bots: ['pollster'],
      roles: [{ name: 'guests' }],
      categories: [{ name: 'Elsewhere' }],
      channels: [{ name: 'annex' }],
    },
  ],
})

/** A world in which the role of "helper" has all permissions except one. */
export function worldWithout(missing: Permission): World {
  const world = specWorld()
  world.servers![0]!.roles![2]!.permissions = permissions.filter((each) => each !== missing)
  return world
}

/** The service with the world of these tests. `bot` calls as pollster, `helper` as the bot with all permissions. */
export async function startSpec(options: ServiceOptions = {}) {
  const chat = await startTest({ world: specWorld(), ...options })
  const annex = chat.service.world.servers['Annex']!
  const messages = (name = 'general') => `${chat.channel(name)}/messages`
  const feedOf = async (token: string) => {
    let cursor = ((await chat.bot('GET', '/events?after=0', undefined, token)).body as { last: number }).last
    return async () => {
      const page = (await chat.bot('GET', `/events?after=${cursor}`, undefined, token)).body as {
        events: { id: number; type: string; data: Record<string, unknown> }[]
        last: number
      }
      cursor = page.last
      return page.events
    }
  }
  return {
    ...chat,
    annex,
    annexServer: `/servers/${annex.id}`,
    annexChannel: `/channels/${annex.channels['annex']!}`,
    helperId: chat.service.world.bots['helper']!.id,
    helper: (method: string, path: string, body?: unknown) => chat.bot(method, path, body, 'token-of-helper'),
    stranger: (method: string, path: string, body?: unknown) => chat.bot(method, path, body, 'token-of-stranger'),
    messages,
    send: (body: object, name = 'general') => chat.bot('POST', messages(name), body),
    /** Posts as a person; returns the message. */
    says: async (name: string, content: string, channel = 'general') =>
      (await chat.person(name, 'POST', messages(channel), { content })).body as { id: string; created_at: string },
    role: (name: string) => chat.workshop.roles[name]!,
    category: (name: string) => chat.workshop.categories[name]!,
    /** Returns a function that returns the new events of a bot since its last call. */
    feedOf,
  }
}

export type Spec = Awaited<ReturnType<typeof startSpec>>

/** Expects a refusal as in §7: the status, and a body with exactly one text, which contains `part`. */
export function expectRefused(answer: Answer, status: number, part: string | RegExp): void {
  const error = typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part)
  expect([answer.status, answer.body]).toEqual([status, { error }])
  expect(answer.headers.get('content-type')).toContain('application/json')
}

/** Expects a 429 with Retry-After (§7). */
export function expectSlowDown(answer: Answer, seconds: number): void {
  expectRefused(answer, 429, `try again in ${seconds} s`)
  expect(answer.headers.get('retry-after')).toBe(String(seconds))
}

/** Expects a 429 without Retry-After (§7). */
export function expectNever(answer: Answer, part: string): void {
  expectRefused(answer, 429, part)
  expect(answer.headers.has('retry-after')).toBe(false)
}

export function expectOk(answer: Answer, body: unknown = { ok: true }): void {
  expect([answer.status, answer.body]).toEqual([200, body])
}

/** `x`, repeated. */
export const x = (count: number) => 'x'.repeat(count)
