/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectSlowDown, type Spec, startSpec } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

// Limits that the specification does not define (packages/workspace/decisions/0008-bounds-of-the-service.md).

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const ownMessage = async (content: string) => `${chat.messages()}/${(await chat.send({ content })).body.id}`

describe('edits of messages', () => {
  it('are limited to one a second on average, with a burst of 10 [spec: 8/message_edits]', async () => {
    const { requests, seconds } = limits.message_edits
    const one = await ownMessage('one')
    const edit = (content: string) => chat.bot('PATCH', one, { content })
    for (let i = 0; i < requests; i++) expect((await edit(`burst ${i}`)).status).toBe(200)
    expectSlowDown(await edit('more'), seconds)
    expect((await chat.bot('PATCH', await ownMessage('two'), { content: 'x' })).status).toBe(200)
    await chat.clock.advance(seconds * 1000)
    for (let i = 0; i < 30; i++) {
      expect((await edit(`second ${i}`)).status).toBe(200)
      await chat.clock.advance(1000)
    }
  })

  it('are limited to 120 a minute per bot across all messages [spec: 8/edits]', slow, async () => {
    const { requests } = limits.edits
    const all = await Promise.all(Array.from({ length: 13 }, (_, i) => ownMessage(`message ${i}`)))
    for (let i = 0; i < requests; i++) {
      expect((await chat.bot('PATCH', all[i % 12]!, { content: `${i}` })).status).toBe(200)
    }
    expectSlowDown(await chat.bot('PATCH', all[12]!, { content: 'more' }), limits.edits.seconds)
    const { id } = (await chat.helper('POST', chat.messages(), { content: 'of another' })).body
    expect((await chat.helper('PATCH', `${chat.messages()}/${id}`, { content: 'x' })).status).toBe(200)
  })

  it('have the same limit for people [spec: 8/message_edits]', async () => {
    const { id } = await chat.says('ann', 'x')
    const edit = (content: string) => chat.person('ann', 'PATCH', `${chat.messages()}/${id}`, { content })
    for (let i = 0; i < limits.message_edits.requests; i++) expect((await edit(`${i}`)).status).toBe(200)
    expectSlowDown(await edit('more'), limits.message_edits.seconds)
  })
})

it('allows 300 added or removed reactions a minute [spec: 8/reactions]', slow, async () => {
  const path = `${await ownMessage('x')}/reactions/${encodeURIComponent('👍')}`
  const { requests, seconds } = limits.reactions
  for (let i = 0; i < requests; i++) expect((await chat.bot(i % 2 ? 'DELETE' : 'PUT', path)).status).toBe(200)
  expectSlowDown(await chat.bot('PUT', path), seconds)
})

it('allows 60 changes a minute per channel, across bots and people [spec: 8/channel_edits]', slow, async () => {
  const { requests, seconds } = limits.channel_edits
  const call = (i: number, name = 'work') =>
    (i % 2 ? chat.helper : (...call: Parameters<Spec['helper']>) => chat.person('ann', ...call))(
      'PATCH',
      chat.channel(name),
      { name: `${name}-${i}` },
    )
  for (let i = 0; i < requests; i++) expect((await call(i)).status).toBe(200)
  expectSlowDown(await call(requests), seconds)
  expect((await call(0, 'talk')).status).toBe(200)
})

it('allows 60 changes a minute per profile, across its parts [spec: 8/profile_changes]', slow, async () => {
  const { requests, seconds } = limits.profile_changes
  for (let i = 0; i < requests; i += 2) {
    expect((await chat.bot('PATCH', '/me', { bio: `${i}` })).status).toBe(200)
    expect((await chat.bot('PUT', '/me/status', { status: 'idle' })).status).toBe(200)
  }
  expectSlowDown(await chat.bot('PATCH', '/me', { bio: 'more' }), seconds)
  for (let i = 0; i < requests; i++)
    expect((await chat.person('ann', 'PATCH', '/me', { bio: `${i}` })).status).toBe(200)
  expectSlowDown(await chat.person('ann', 'PATCH', '/me', { bio: 'more' }), seconds)
})
