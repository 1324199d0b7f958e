/* oxlint-disable typescript/no-unsafe-member-access, typescript/no-unsafe-return -- answers are read as loosely as they arrive */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebhooks, type Webhooks } from '../channel-webhooks/rig.test.fixture.ts'

let chat: Webhooks
let url: string
beforeEach(async () => {
  chat = await startWebhooks()
  const made = await chat.make('Build')
  url = made.url
})
afterEach(() => chat.close())

const unknown = '00000000-0000-4000-8000-000000000000'
/** Posts and returns the message. */
const posted = async (body: object) => {
  const answer = await chat.post(url, body, '?wait=true')
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  await chat.clock.advance(2000)
  return answer.body
}

describe('the pings of a post', () => {
  const world = { ann: '', mods: '' }
  let mentioned: (body: object, by?: string) => Promise<boolean>
  beforeEach(() => {
    world.ann = `<@${chat.userId('ann')}>`
    world.mods = `<@&${chat.workshop.roles['mods']}>`
    mentioned = async (body, by = 'ann') => {
      const { id: message } = await posted(body)
      return (await chat.person(by, 'GET', `${chat.channel('general')}/messages/${message}`)).body.mentioned
    }
  })

  it('include only users by default', async () => {
    expect(await mentioned({ content: `hi ${world.ann}` })).toBe(true)
    expect(await mentioned({ content: `hi ${world.ann}` }, 'bob')).toBe(false)
    expect(await mentioned({ content: `hi ${world.mods}` }, 'bob')).toBe(false)
    expect(await mentioned({ content: 'hi @everyone and @here' })).toBe(false)
  })

  it('include all, some or none of the people mentioned, as the post allows', async () => {
    const content = `${world.ann} ${world.mods}`
    const users = [chat.userId('ann').toUpperCase()]
    expect(await mentioned({ content, allowed_mentions: {} })).toBe(false)
    expect(await mentioned({ content, allowed_mentions: { parse: [] } })).toBe(false)
    expect(await mentioned({ content, allowed_mentions: { parse: ['users'] } })).toBe(true)
    expect(await mentioned({ content, allowed_mentions: { users } })).toBe(true)
    expect(await mentioned({ content, allowed_mentions: { users: [chat.userId('bob')] } })).toBe(false)
    expect(await mentioned({ content: 'nobody', allowed_mentions: { users } })).toBe(false)
    expect(await mentioned({ content, allowed_mentions: { parse: ['roles'] } }, 'bob')).toBe(true)
    expect(await mentioned({ content, allowed_mentions: { parse: ['roles'] } }, 'carol')).toBe(false)
    expect(await mentioned({ content, allowed_mentions: { roles: [chat.workshop.roles['mods']] } }, 'bob')).toBe(true)
    expect(await mentioned({ content, allowed_mentions: { roles: [unknown] } }, 'bob')).toBe(false)
  })

  it('include everyone and here only if allowed and if the creator may mention everyone', async () => {
    const allowed_mentions = { parse: ['everyone'] }
    expect(await mentioned({ content: '@everyone', allowed_mentions })).toBe(false)
    const made = (await chat.make('Loud', 'ann')).url
    for (const content of ['@everyone!', 'over @here']) {
      const quiet = await chat.post(made, { content }, '?wait=true')
      const loud = await chat.post(made, { content, allowed_mentions }, '?wait=true')
      const sees = async (each: { body: { id: string } }) =>
        (await chat.person('carol', 'GET', `${chat.channel('general')}/messages/${each.body.id}`)).body.mentioned
      expect([await sees(quiet), await sees(loud)]).toEqual([false, true])
    }
    const event = (await chat.events()).map(({ data }) => data.mentioned)
    expect(event).toEqual([false, false, true, false, true])
  })

  it('include none in code or after a backslash', async () => {
    const all = `${world.ann} ${world.mods} @everyone`
    const allowed_mentions = { parse: ['users', 'roles', 'everyone'] }
    const made = (await chat.make('Coder', 'ann')).url
    const sees = async (content: string, by: string) => {
      const { body } = await chat.post(made, { content, allowed_mentions }, '?wait=true')
      await chat.clock.advance(2000)
      return (await chat.person(by, 'GET', `${chat.channel('general')}/messages/${body.id}`)).body.mentioned
    }
    for (const content of [
      `\`${all}\``,
      `\`\`\`\n${all}\n\`\`\``,
      `\\${world.ann} \\${world.mods} \\@everyone`,
      'bob@here.com',
    ])
      expect([content, await sees(content, 'ann'), await sees(content, 'bob')]).toEqual([content, false, false])
    expect(await sees(`**${world.ann.toUpperCase()}**`, 'ann')).toBe(true)
    expect(await sees(`> ${world.mods}`, 'bob')).toBe(true)
    expect(await sees('**@everyone**', 'carol')).toBe(true)
  })

  it('are refused with the name of an invalid field', async () => {
    for (const allowed_mentions of [{ parse: ['all'] }, { users: ['ann'] }, { roles: 5 }]) {
      const { status, body } = await chat.post(url, { content: 'x', allowed_mentions })
      expect([status, body.code, body.message]).toEqual([400, 50035, expect.stringMatching(/^allowed_mentions\./)])
    }
  })
})
