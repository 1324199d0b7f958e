import { createRest } from '@botwright/rest'
import { startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, it } from 'vitest'

it('accepts the people of a test: joinChat finds the bot, and sends the key of the service', async () => {
  await using service = await startService({
    port: 0,
    key: true,
    world: {
      people: [{ username: 'ann' }],
      bots: [{ username: 'helper', owner: 'ann' }],
      servers: [{ name: 'Library', owner: 'ann', bots: ['helper'], channels: [{ name: 'desk' }] }],
    },
  })
  await using helper = createRest({ baseUrl: service.base_url, token: service.world.bots['helper']!.token! })
  const channel_id = service.world.servers['Library']!.channels['desk']!
  expect(() => joinChat(service, { bot: 'hepler' })).toThrow('there is no bot "hepler"; available: helper')
  const chat = joinChat(service, { bot: 'Helper' })
  const ann = chat.person('ann').in('desk')
  const answer = await ann.watches(() => helper.messages.create({ channel_id, content: 'Welcome' }))
  expect(answer).toHaveReplied('Welcome')
})
