import { expect, test } from 'vitest'
import type { Link } from '../link/link.ts'
import type { BotPort, RuntimePort } from '../link/messages.ts'
import { linkedServices } from './linked-services.ts'

/** The services over a link whose requests are listed, and answered with their name. */
function rig() {
  const requests: unknown[][] = []
  const service = (name: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method: string) =>
          async (...args: unknown[]) => {
            requests.push([`${name}.${method}`, ...args])
            return `${name}.${method}`
          },
      },
    )
  const request = Object.fromEntries(['client', 'store', 'broadcasts', 'outbox'].map((name) => [name, service(name)]))
  const link = { request } as unknown as Link<BotPort, RuntimePort>
  return { ...linkedServices(link), requests }
}

test('a call has only the options that it was given, and those of layers', async () => {
  const { call, requests } = rig()
  expect(await call('me.get', {})).toBe('client.call')
  const { signal } = new AbortController()
  const leaving = () => {}
  await call('me.get', {}, { signal, priority: 'answer', timeoutMs: 0, unchecked: true, leaving })
  await call('me.get', {}, { eventId: 5, span: { traceId: 't' } } as never)
  expect(requests).toEqual([
    ['client.call', 'me.get', {}, { signal: undefined }],
    ['client.call', 'me.get', {}, { signal, priority: 'answer', timeoutMs: 0 }],
    ['client.call', 'me.get', {}, { signal: undefined, eventId: 5, span: { traceId: 't' } }],
  ])
})

test('a call sends its input as it was when it was made', async () => {
  const { call, requests } = rig()
  const embeds = [{ title: 'before' }]
  const made = call('messages.create', { channel_id: 'c', embeds })
  embeds[0]!.title = 'after'
  await made
  expect(requests[0]![2]).toEqual({ channel_id: 'c', embeds: [{ title: 'before' }] })
})

test('a value is stored as JSON would store it', async () => {
  const { store, requests } = rig()
  await store.set('key', { at: new Date(0), not: undefined }, { ttlSeconds: 5 } as never)
  await store.get('key')
  await store.delete('key', { ifVersion: 1 } as never)
  await store.list('k', { limit: 2 })
  expect(requests).toEqual([
    ['store.set', 'key', { at: '1970-01-01T00:00:00.000Z' }, { ttlSeconds: 5 }],
    ['store.get', 'key'],
    ['store.delete', 'key', { ifVersion: 1 }],
    ['store.list', 'k', { limit: 2 }],
  ])
  await expect(store.get(5 as never)).rejects.toThrow()
})

test('broadcasts and the budget are those of the runtime', async () => {
  const { outbox, requests } = rig()
  const input = { channels: ['c'] }
  expect(await outbox.broadcasts.start('id', input as never)).toBe('broadcasts.start')
  expect(await outbox.broadcasts.next('id', 3, { sent: 2, failed: 1 })).toBe('broadcasts.next')
  expect(await outbox.broadcasts.cancel('id')).toBe('broadcasts.cancel')
  expect(await outbox.budget()).toBe('outbox.budget')
  expect(requests).toEqual([
    ['broadcasts.start', 'id', input],
    ['broadcasts.next', 'id', 3, { sent: 2, failed: 1 }],
    ['broadcasts.cancel', 'id'],
    ['outbox.budget'],
  ])
  expect(requests[0]![2]).not.toBe(input)
})
