import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import { RequestRunner } from './request-runner.ts'
import { setAsideRequests } from './set-aside-requests.ts'
import { asidePrefix, isStoredRequest, rowPrefix } from './stored-requests.ts'

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const request = { method: 'POST', path: '/x', params: {}, query: '', headers: {}, body: Buffer.from('{}') }

test('requests that another instance runs no longer count as waiting', async () => {
  const store = new MemoryStore(systemClock)
  const host = { store, log, clock: systemClock } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => undefined })
  for (let n = 0; n < 3; n++)
    await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request)
  expect(runner.requests.open).toBe(3)
  for (const { key } of await store.list(rowPrefix)) await store.delete(key)
  runner.rows.look()
  await expect.poll(() => runner.requests.open).toBe(0)
  await runner.rows.stop()
})

test('a damaged request is none, and hides no other one', async () => {
  const store = new MemoryStore(systemClock)
  const whole = { route: 'POST /x', queue: 'POST /x ', atMs: 1, state: 'waiting', request: { path: '/x' } }
  expect(isStoredRequest(whole)).toBe(true)
  for (const damaged of [
    { ...whole, request: null },
    { ...whole, request: {} },
  ]) {
    expect(isStoredRequest(damaged)).toBe(false)
    await store.set(`${asidePrefix}1`, damaged)
    await store.set(`${asidePrefix}2`, whole)
    expect(await setAsideRequests(store)).toMatchObject([{ id: '2' }])
  }
})
