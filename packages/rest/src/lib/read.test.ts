import { expect, test } from 'vitest'
import { json, readerOf } from './read.ts'

const read = (route: Parameters<typeof readerOf>[0], text: string) =>
  readerOf(route)({ status: 200, headers: {}, text })

test('parses a body, with or without a byte order mark; an empty one is undefined', () => {
  expect(json('\uFEFF{"a":1}')).toEqual({ a: 1 })
  for (const empty of ['', ' \n', '\uFEFF', '\uFEFF ']) expect(json(empty)).toBeUndefined()
  expect(() => json(' <html>')).toThrow('a page of HTML')
  expect(() => json('{"secret')).toThrow(expect.objectContaining({ message: 'a body that is not JSON' }))
})

test('a GET needs an object; other methods accept any body', () => {
  const get = { method: 'GET', ok: false } as const
  expect(() => read(get, '')).toThrow('an empty body')
  for (const other of ['null', '5', '"x"']) expect(() => read(get, other)).toThrow('a body that is not an object')
  for (const body of ['', 'null', '5', '"x"']) {
    expect(read({ method: 'PUT', ok: true }, body)).toEqual({ ok: true })
    expect(read({ method: 'PUT', ok: false }, body)).toEqual({})
  }
  expect(read(get, '{"a":1}')).toEqual({ a: 1 })
})

test('a bare list is wrapped if the endpoint returns a list', () => {
  expect(read({ method: 'GET', ok: false, list: 'members' }, '[1]')).toEqual({ members: [1] })
  expect(read({ method: 'GET', ok: false, list: 'members' }, '{"members":[1]}')).toEqual({ members: [1] })
  expect(read({ method: 'GET', ok: false }, '[1]')).toEqual([1])
})

test('an object that may be wrapped or bare has the form of the local service', () => {
  for (const text of ['{"user":{"id":"1"}}', '{"id":"1"}']) {
    expect(read({ method: 'GET', ok: false, variant: { key: 'user', here: 'bare' } }, text)).toEqual({ id: '1' })
    expect(read({ method: 'GET', ok: false, variant: { key: 'user', here: 'wrapped' } }, text)).toEqual({
      user: { id: '1' },
    })
  }
  // A field with the name of the key, in an object with an id, does not wrap it.
  for (const user of ['"ann"', 'null', '{"id":"2"}'])
    expect(
      read({ method: 'GET', ok: false, variant: { key: 'user', here: 'bare' } }, `{"id":"1","user":${user}}`),
    ).toEqual({ id: '1', user: JSON.parse(user) as unknown })
})
