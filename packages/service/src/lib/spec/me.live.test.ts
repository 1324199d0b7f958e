/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-call -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyId, anyTime, expectOk, expectRefused, type Spec, startSpec, x } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const profile = () => ({
  id: chat.botId,
  username: 'pollster',
  display_name: null,
  bio: '',
  avatar_url: null,
  banner_url: null,
  created_at: anyTime,
  bot: { name: 'pollster', public: false, owner_id: chat.userId('ann') },
})

describe('the profile', () => {
  it('has exactly the fields of §2 [spec: 4/me.get]', async () => {
    expectOk(await chat.bot('GET', '/me'), profile())
    expect((await chat.helper('GET', '/me')).body).toMatchObject({ id: anyId, username: 'helper' })
  })

  it('updates the given fields and keeps the rest, for this bot only [spec: 4/me.update]', async () => {
    expectOk(await chat.bot('PATCH', '/me', { display_name: 'Poll', bio: 'counts' }), {
      ...profile(),
      display_name: 'Poll',
      bio: 'counts',
    })
    expectOk(await chat.bot('PATCH', '/me', { bio: 'counts well' }), {
      ...profile(),
      display_name: 'Poll',
      bio: 'counts well',
    })
    expect((await chat.bot('PATCH', '/me', { display_name: null })).body.display_name).toBeNull()
    expect((await chat.helper('GET', '/me')).body).toMatchObject({ display_name: null, bio: '' })
  })

  it.each([
    ['display_name', limits.display_name.characters],
    ['bio', limits.bio.characters],
  ])(
    '%s can have up to %d characters, counted as code points [spec: 8/display_name, 8/bio, decisions/45]',
    async (key, max) => {
      for (const text of [x(max - 1), x(max), '🙂'.repeat(max)]) {
        const answer = await chat.bot('PATCH', '/me', { [key]: text })
        expect([answer.status, answer.body[key]]).toEqual([200, text])
      }
      expectRefused(
        await chat.bot('PATCH', '/me', { [key]: x(max + 1) }),
        400,
        `${key}: must be at most ${max} characters`,
      )
      expectRefused(await chat.bot('PATCH', '/me', { [key]: '🙂'.repeat(max + 1) }), 400, key)
      expect((await chat.bot('GET', '/me')).body[key]).toBe('🙂'.repeat(max))
    },
  )

  it('requires a body with strings [spec: 4/me.update]', async () => {
    expectRefused(await chat.bot('PATCH', '/me'), 400, 'JSON')
    expectRefused(await chat.bot('PATCH', '/me', { bio: 5 }), 400, 'bio')
    expectRefused(await chat.bot('PATCH', '/me', { bio: null }), 400, 'bio')
    expectRefused(await chat.bot('PATCH', '/me', []), 400, 'object')
  })

  it('has no pictures after they are removed, idempotently [spec: 4/me.removeAvatar, 4/me.removeBanner, decisions/1]', async () => {
    for (const path of ['/me/avatar', '/me/banner']) {
      expectOk(await chat.bot('DELETE', path))
      expectOk(await chat.bot('DELETE', path))
    }
    expectOk(await chat.bot('GET', '/me'), profile())
  })
})

describe('the status', () => {
  const shown = async () => {
    const { bots } = (await chat.person('bob', 'GET', chat.server)).body
    return bots.find((each: { id: string }) => each.id === chat.botId).presence as object
  }

  it.each(['online', 'idle', 'dnd'])(
    '%s is accepted and shown, with and without an activity [spec: 4/me.setStatus]',
    async (status) => {
      expectOk(await chat.bot('PUT', '/me/status', { status, activity: 'counting' }), {
        ok: true,
        status,
        activity: 'counting',
      })
      expect(await shown()).toEqual({ status, activity: 'counting' })
      expectOk(await chat.bot('PUT', '/me/status', { status }), { ok: true, status, activity: null })
      expect(await shown()).toEqual({ status, activity: null })
    },
  )

  it('other values are refused [spec: 4/me.setStatus]', async () => {
    for (const status of ['offline', 'Online', '', 5, null, undefined]) {
      expectRefused(await chat.bot('PUT', '/me/status', { status }), 400, 'status')
    }
  })

  it('an activity can have up to 60 characters [spec: 8/activity, decisions/45]', async () => {
    const max = limits.activity.characters
    for (const activity of [x(max - 1), x(max), '🙂'.repeat(max)]) {
      expect((await chat.bot('PUT', '/me/status', { status: 'dnd', activity })).body.activity).toBe(activity)
    }
    expectRefused(await chat.bot('PUT', '/me/status', { status: 'idle', activity: x(max + 1) }), 400, 'activity')
    expect(await shown()).toEqual({ status: 'dnd', activity: '🙂'.repeat(max) })
  })

  it('is online while a poll waits, keeps the activity, and ends shortly after the last poll (§3) [spec: 4/events.list]', async () => {
    await chat.clock.advance(60_000)
    expect(await shown()).toEqual({ status: 'offline', activity: null })
    const { last } = (await chat.bot('GET', '/events?after=0')).body
    const poll = chat.bot('GET', `/events?after=${last}&wait=25`)
    await expect.poll(shown).toEqual({ status: 'online', activity: null })
    await chat.bot('PUT', '/me/status', { status: 'idle', activity: 'busy' })
    await chat.clock.advance(24_000)
    expect(await shown()).toEqual({ status: 'idle', activity: 'busy' })
    await chat.clock.advance(1000)
    expect((await poll).body.events).toEqual([])
    expect(await shown()).toEqual({ status: 'idle', activity: 'busy' })
    await chat.clock.advance(60_000)
    expect(await shown()).toEqual({ status: 'offline', activity: null })
  })

  it('an online bot does not count as a member (§1)', async () => {
    await chat.bot('PUT', '/me/status', { status: 'online' })
    expect((await chat.bot('GET', chat.server)).body.server.member_count).toBe(5)
  })
})
