import { startService } from '@botwright/service'
import { expect, it } from 'vitest'

it('runs the chat service and its page in one process', async () => {
  await using service = await startService({
    port: 0,
    world: {
      people: [{ username: 'ann' }],
      servers: [{ name: 'Library', owner: 'ann', channels: [{ name: 'desk' }] }],
    },
  })
  expect(await (await fetch(service.page)).text()).toContain('<title>')
  expect(service.world.servers['Library']!.channels['desk']).toMatch(/^[\w-]+$/)
})
