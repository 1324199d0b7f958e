import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { endpointsByName } from './endpoints.ts'
import { routes } from './routes.ts'

test('a route contains what a client needs to know about an endpoint', () => {
  expect(routes['messages.create']).toEqual({
    method: 'POST',
    path: '/channels/{channel_id}/messages',
    params: ['channel_id'],
    query: [],
    body: true,
    auth: 'bot',
    repeatable: false,
    variant: { key: 'message', here: 'bare' },
    ok: false,
  })
  expect(routes['members.list']).toMatchObject({ query: ['limit', 'after'], list: 'members', repeatable: true })
  expect(routes['messages.pin']).toMatchObject({ body: false, ok: true })
  expect(Object.keys(routes)).toEqual([...endpointsByName.keys()])
})

test('the built routes are the same, as data without imports', async () => {
  const built = new URL('../../dist/lib/routes.js', import.meta.url)
  expect(await readFile(built, 'utf8')).toBe(`export const routes = ${JSON.stringify(routes)}\n`)
})
