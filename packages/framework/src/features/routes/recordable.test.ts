import { expect, test } from 'vitest'
import { ownDelivery } from '../../link/task-event.ts'
import { recordable } from './recordable.ts'

function recorded(fields: { query?: string; text?: string; headers?: Record<string, string> }): unknown {
  const request = { method: 'POST', path: '/hook', params: {}, headers: {}, query: '', ...fields }
  const work = {
    step: 'run',
    route: 'POST /hook',
    request,
    receivedMs: 0,
    key: 'x',
    retry: false,
    channel_id: 'route:',
  }
  return recordable(ownDelivery('route', work, 0, false)).event.data['request']
}

test('the values of secrets in queries and forms are not recorded', () => {
  const query = 'full=1&access_token=abc&author_id=5'
  expect(recorded({ query, text: 'token=abc&author=ann&api_key=d&password=e' })).toMatchObject({
    query: 'full=1&access_token=[secret]&author_id=5',
    text: 'token=[secret]&author=ann&api_key=[secret]&password=[secret]',
  })
})

test('the values of secrets in JSON are not recorded, at any depth', () => {
  const user = { password: 'a', authored: 'yes', author_association: 'OWNER', auth: 'b' }
  const text = JSON.stringify({ access_token: 'c', user, list: [{ client_secret: 'd', name: 'e' }], tokens: 3 })
  expect(recorded({ text })).toMatchObject({
    json: { user: { authored: 'yes', author_association: 'OWNER' }, list: [{ name: 'e' }], tokens: 3 },
  })
  expect(JSON.stringify(recorded({ text }))).not.toMatch(/access_token|password|"auth"|client_secret/)
})

test('headers that prove the sender are not recorded', () => {
  const headers = { authorization: 'a', 'x-auth': 'b', 'x-hub-signature-256': 'c', 'x-author': 'ann' }
  expect(recorded({ headers })).toMatchObject({ headers: { 'x-author': 'ann' } })
  expect(Object.keys((recorded({ headers }) as { headers: object }).headers)).toEqual(['x-author'])
})
