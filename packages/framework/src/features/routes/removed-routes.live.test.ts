import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ownDelivery } from '../../link/task-event.ts'
import type { RunEnd } from '../../link/ports.ts'
import type { WorkHost } from '../../runtime/ports/work.ts'
import { RequestRunner } from './request-runner.ts'
import { createRoutes } from './route-handlers.ts'
import type { KnownRoute } from './route-table.ts'

// A reload replaces the code before the supervisor knows its routes.

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const request = { method: 'POST', path: '/x', params: {}, query: '', headers: {}, body: Buffer.from('{}') }
const known: KnownRoute = { name: 'POST /x', file: 'routes/x.ts', limit: 1, respond: false, retry: false }

test('new code answers a request to a route that it does not have with 404', async () => {
  const routes = createRoutes({ handlers: [], services: {} } as unknown as Parameters<typeof createRoutes>[0])
  const end = (step: string) => routes.handle(ownDelivery('route', { step, route: 'POST /x', request }, 0, false))
  expect(await end('check')).toMatchObject({ result: { status: 404 } })
  expect(await end('respond')).toMatchObject({ result: { status: 404 } })
})

test('a stored request whose route new code does not have waits, and is not set aside', async () => {
  const store = new MemoryStore(systemClock)
  const routes = createRoutes({ handlers: [], services: {} } as unknown as Parameters<typeof createRoutes>[0])
  let runs = 0
  const dispatch: WorkHost['dispatch'] = async (delivery, ended) => {
    if (++runs === 1) ended((await routes.handle(delivery)) as RunEnd)
  }
  const host = { store, log, clock: systemClock, dispatch } as unknown as WorkHost
  const runner = new RequestRunner({ ...host, route: () => known })
  await runner.requests.add({ route: 'POST /x', queue: 'POST /x ', atMs: systemClock.now() }, request)
  runner.rows.look()
  await expect.poll(async () => (await store.list('route:')).length).toBe(0)
  expect(runs).toBe(2)
  await runner.rows.stop()
})
