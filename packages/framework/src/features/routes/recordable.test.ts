import { expect, test } from 'vitest'
import { ownDelivery } from '../../link/tasks/task-event.ts'
import { recordable } from './recordable.ts'

test('the values of secrets in queries and forms are not recorded', () => {
  const head = { method: 'POST', path: '/hook', params: {}, headers: {} }
  const request = { ...head, query: 'full=1&access_token=abc', text: 'token=abc&author=ann&api_key=d' }
  const work = { step: 'run', route: 'POST /hook', request, receivedMs: 0, retry: false, channel_id: 'route:' }
  const { data } = recordable(ownDelivery('route', work, 0, false)).event
  expect(data['request']).toMatchObject({
    query: 'full=1&access_token=[secret]',
    text: 'token=[secret]&author=ann&api_key=[secret]',
  })
})
