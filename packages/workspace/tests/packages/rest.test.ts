import { systemClock } from '@botwright/clock'
import { createRest } from '@botwright/rest'
import { defaultWorld, startService } from '@botwright/service'
import { expect, it } from 'vitest'

it('calls every endpoint by its name', async () => {
  await using service = await startService({ port: 0, world: defaultWorld('helper', 'sample-token') })
  await using rest = createRest({ baseUrl: service.base_url, token: 'sample-token', clock: systemClock })
  const { servers } = await rest.servers.list({})
  await expect(rest.servers.get({ server_id: crypto.randomUUID() })).rejects.toMatchObject({ status: 404 })
  expect(servers.map(({ name }) => name)).toContain('Workshop')
})
