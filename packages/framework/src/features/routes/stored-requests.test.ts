import { VirtualClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { RequestStore, rowPrefix, type StoredRequest } from './stored-requests.ts'

const DAY_MS = 24 * 60 * 60_000

test('a request comes after those of a former process whose clock was ahead, also before these were read', async () => {
  const store = new MemoryStore(new VirtualClock())
  const add = (requests: RequestStore, path: string) =>
    requests.add(
      { route: 'POST /hook', queue: 'POST /hook ', atMs: 0 },
      { method: 'POST', path, params: {}, query: '', headers: {}, body: new Uint8Array() },
    )
  const ahead = new VirtualClock()
  await ahead.advance(2 * DAY_MS)
  await add(new RequestStore(store, ahead), '/first')
  const present = new RequestStore(store, new VirtualClock())
  await Promise.all([add(present, '/second'), add(present, '/third')])
  const paths = (await store.list(rowPrefix)).map(({ value }) => (value as StoredRequest).request.path)
  expect(paths).toEqual(['/first', '/second', '/third'])
})
