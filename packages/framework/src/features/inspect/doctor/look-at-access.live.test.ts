import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@botwright/service'
import { expect, onTestFinished, test } from 'vitest'
import { storeIn } from '../../stored-state/state-file.ts'
import { accessKey, type StoredAccess } from '../../access/access.ts'
import { lookAtAccess } from './look-at-access.ts'

test('a server that refuses its channels does not hide what the bot sees, and has lost, in the others', async () => {
  const names = ['First', 'Second']
  const bots = [{ username: 'helper', owner: 'ann', token: 'token-of-the-bot' }]
  const servers = names.map((name) => ({ name, owner: 'ann', bots: ['helper'], channels: [{ name: 'general' }] }))
  await using service = await startService({
    port: 0,
    controls: true,
    world: { people: [{ username: 'ann' }], bots, servers },
  })
  const stateDir = mkdtempSync(join(tmpdir(), 'botwright-access-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true }))
  const { world, base_url: baseUrl } = service
  const me = world.bots['helper']!.id
  const [first, second] = names.map((name) => world.servers[name]!.id)
  const former = (name: string) => ({ name, channels: { lost: 'vault' }, roles: {}, permissions: [] })
  const stored: StoredAccess = { servers: { [first!]: former('First'), [second!]: former('Second') }, lost: {} }
  using store = storeIn(stateDir, me)
  await store.set(accessKey, stored, {})
  const refusal = { then: { status: 403, body: { error: 'forbidden' } }, times: 1 }
  await fetch(`${service.url}/controls/v1/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'GET', path: `/v1/servers/${first}/channels`, ...refusal }),
  })
  const found = await lookAtAccess({ baseUrl, token: 'token-of-the-bot', me, stateDir, io: { cwd: stateDir, env: {} } })
  expect(found.map(({ state, fact }) => [state, fact])).toEqual([
    ['warning', 'in the server "Second" the bot has lost the channel #vault within the last day'],
    ['warning', expect.stringMatching(/^could not be read in the server "First": .*forbidden/)],
    ['ok', 'in the server "Second" the bot sees 1 channel, without a role'],
  ])
})
