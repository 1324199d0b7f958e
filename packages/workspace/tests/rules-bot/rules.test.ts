import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of "Let the first rule decide" in packages/framework/docs/events.md.

const start = () => {
  const roles = [{ name: 'janitor', permissions: ['manage_messages' as const], members: ['bot'] }]
  const server = { name: 'Workshop', owner: 'ann', members: ['bob'], channels: [{ name: 'general' }], roles }
  const world = { people: [{ username: 'ann' }, { username: 'bob' }], servers: [server] }
  return startTestBot(new URL('.', import.meta.url), { world })
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

test('a message that breaks two rules is deleted once, for the first of them', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const send = async (content: string) => {
    const form = new FormData()
    form.set('content', content)
    form.set('file', new File([Buffer.from(pixel, 'base64')], 'a.png', { type: 'image/png' }))
    const { channels } = chat.world.servers['Workshop']!
    const response = await fetch(`${chat.service.url}/people/v1/channels/${channels['general']}/messages`, {
      method: 'POST',
      headers: { authorization: `Person ${chat.world.people['bob']!.token}` },
      body: form,
    })
    expect(response.status).toBe(200)
  }
  const answer = await bob.watches(() => send('look: https://a.example'))
  expect(answer).toHaveReplied(/^<@.+>, no images in your first hour\.$/)
  expect(answer.deleted).toHaveLength(1)
  await chat.clock.advance('1h')
  expect(await bob.watches(() => send('look'))).not.toHaveReplied()
  expect(await bob.says('look: https://a.example')).toHaveReplied(/no links, please/)
})
