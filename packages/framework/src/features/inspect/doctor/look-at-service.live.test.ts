import { startService } from '@botwright/service'
import { expect, test } from 'vitest'
import { lookAtService } from './look-at-service.ts'

const token = 'token-of-the-bot'
const needs = new Map([['timeout_members', ['commands/mute.ts']]])

test('permissions that could not be read are not reported as present', async () => {
  const roles = [{ name: 'Helpers', permissions: ['timeout_members' as const], members: ['helper'] }]
  const servers = ['First', 'Second'].map((name) => ({ name, owner: 'ann', bots: ['helper'], channels: [], roles }))
  const bots = [{ username: 'helper', owner: 'ann', token }]
  const world = { people: [{ username: 'ann' }], bots, servers }
  await using service = await startService({ port: 0, controls: true, world })
  const env = { BOT_TOKEN: token, BOT_BASE_URL: service.base_url }
  const look = async (then?: object) => {
    if (then)
      await fetch(`${service.url}/controls/v1/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ method: 'GET', path: '/v1/servers/*/roles', then, times: 1 }),
      })
    const found = await lookAtService({ cwd: '/', env }, '/', needs)
    return found.flatMap(({ subject, state, fact }) => (subject === 'permissions' ? [`${state}: ${fact}`] : []))
  }
  const all = 'ok: the bot has all that its guards need, in every server'
  expect(await look()).toEqual([all])
  expect(await look({ status: 500, body: { error: 'broken' } })).toEqual([
    'warning: those in the server "First" could not be read (500)',
  ])
  expect(await look({ status: 200, body: { roles: [{ id: '1', name: 'Helpers' }] } })).toEqual([
    'ok: not checked: the service does not report the permissions of roles',
  ])
})
