import { createRest } from '@botwright/rest'
import { startService } from '@botwright/service'
import { joinChat } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, it } from 'vitest'

it('serves several bots in any processes', async () => {
  await using service = await startService({
    port: 0,
    world: {
      people: [{ username: 'ann' }, { username: 'bob' }],
      bots: [
        { username: 'helper', owner: 'ann', token: 'token-of-helper' },
        { username: 'pollster', owner: 'ann' },
      ],
      servers: [
        {
          name: 'Library',
          owner: 'ann',
          members: ['bob'],
          bots: ['helper', 'pollster'],
          channels: [{ name: 'desk' }],
        },
      ],
    },
  })
  // BOT_BASE_URL and BOT_TOKEN of a bot. Without a token in the world, the service generates one; tokens of an older service are unknown.
  const { base_url: baseUrl } = service
  const { token } = service.world.bots['pollster']!
  await using pollster = createRest({ baseUrl, token: token! })

  const ann = joinChat(service, { bot: 'pollster' }).person('ann').in('desk')
  const channel_id = service.world.servers['Library']!.channels['desk']!
  const answer = await ann.watches(() => pollster.messages.create({ channel_id, content: 'Tea or coffee?' }))
  expect(answer).toHaveReplied('Tea or coffee?')
})
