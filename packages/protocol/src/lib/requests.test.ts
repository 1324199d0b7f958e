import { expect, test } from 'vitest'
import { methodsOf, planRequest, requestParts, requestPath } from './requests.ts'
import { routes } from './routes.ts'

test('sorts the flat input of a call: names of the path and of the query, and the rest as the body', () => {
  const create = planRequest(routes['messages.create'], '')
  expect(requestParts(create, { channel_id: 'c', content: 'x', reply_to: undefined })).toEqual({
    params: { channel_id: 'c' },
    query: {},
    body: { content: 'x', reply_to: undefined },
  })
  const list = planRequest(routes['messages.list'], '')
  expect(requestParts(list, { channel_id: 'c', limit: 5, other: 1 })).toEqual({
    params: { channel_id: 'c' },
    query: { limit: 5, after: undefined, before: undefined },
    body: undefined,
  })
})

test('the picture of an upload and its type are not part of the body', () => {
  const upload = { field: 'file', bytes: 1, types: ['image/png'] }
  const route = { method: 'POST', path: '/bots', params: [], query: [], body: true } as const
  const input = { name: 'a', file: 'f', content_type: 't' }
  expect(requestParts(planRequest({ ...route, upload }, ''), input).body).toEqual({ name: 'a' })
  expect(requestParts(planRequest(route, ''), input).body).toEqual(input)
})

test('the path has the prefix and the encoded names and query, without parameters that are omitted', () => {
  const pathOf = (name: 'messages.list' | 'reactions.add', input: Record<string, unknown>) => {
    const plan = planRequest(routes[name], '/v1')
    return requestPath(plan, requestParts(plan, input))
  }
  expect(pathOf('messages.list', { channel_id: 'a/b' })).toBe('/v1/channels/a%2Fb/messages')
  expect(pathOf('messages.list', { channel_id: 'c', limit: 5 })).toBe('/v1/channels/c/messages?limit=5')
  expect(pathOf('messages.list', { channel_id: 'c', limit: 5, before: '1&2' })).toBe(
    '/v1/channels/c/messages?limit=5&before=1%262',
  )
  expect(pathOf('reactions.add', { channel_id: 'c', message_id: 'm', emoji: '👍' })).toBe(
    '/v1/channels/c/messages/m/reactions/%F0%9F%91%8D',
  )
})

test('names become methods by group, whose input is optional', () => {
  const called: unknown[] = []
  const methods = methodsOf(['me.get', 'me.update', 'users.dm'], (...call) => called.push(call))
  expect(Object.keys(methods)).toEqual(['me', 'users'])
  expect(Object.keys(methods['me']!)).toEqual(['get', 'update'])
  expect(methods['users']!['dm']!({ user_id: 'u' }, { priority: 'reply' })).toBe(1)
  methods['me']!['get']!()
  expect(called).toEqual([
    ['users.dm', { user_id: 'u' }, { priority: 'reply' }],
    ['me.get', {}, undefined],
  ])
})
