import { describe, expect, test } from 'vitest'
import { answer, id, type Behaviour } from './bad-service.test.fixture.ts'
import type { Call } from './call-types.ts'
import { allMembers, allMessages, deleteMessages } from './iterate.ts'
import { rig } from './rig.test.fixture.ts'

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of all) found.push(one)
  return found
}

const query = (path: string) => new URL(path, 'http://x').searchParams

describe('members.all', () => {
  const members = Array.from({ length: 1203 }, (_, i) => i + 1)
  test.each<[string, (i: number) => object]>([
    ['user_id', (i) => ({ user_id: id(i) })],
    ['id', (i) => ({ id: id(i) })],
    ['user.id', (i) => ({ user: { id: id(i) } })],
  ])('gives every member once, known by %s [spec: 4/members.list, 8/members_page, decisions/11]', async (_, member) => {
    const behaviour: Behaviour = (response, seen) => {
      const after = query(seen.path).get('after') ?? ''
      const limit = Number(query(seen.path).get('limit'))
      const page = members.filter((i) => id(i) > after).slice(0, limit)
      answer(200, { members: page.map(member) })(response, seen)
    }
    await using it = await rig([behaviour])
    expect(await collect(it.client.members.all({ server_id: id(1) }))).toEqual(members.map(member))
    expect(it.seen).toHaveLength(3)
  })

  test('ends when a page does not advance', async () => {
    const page = Array.from({ length: 500 }, (_, i) => ({ user_id: id(i) }))
    await using it = await rig([answer(200, { members: page })])
    expect(await collect(it.client.members.all({ server_id: id(1) }))).toHaveLength(1000)
    expect(it.seen).toHaveLength(2)
  })
})

describe('messages.all', () => {
  /** A channel as in §4: pages oldest first; `after` goes forward, `before` returns the newest below it; both are exclusive. */
  const channelOf =
    (messages: { id: string; created_at: string }[]): Behaviour =>
    (response, seen) => {
      const [after, before] = [query(seen.path).get('after'), query(seen.path).get('before')]
      const limit = Number(query(seen.path).get('limit'))
      const found = messages.filter(
        ({ created_at }) =>
          (after === null || Date.parse(created_at) > Date.parse(after)) &&
          (before === null || Date.parse(created_at) < Date.parse(before)),
      )
      const page = after === null ? found.slice(-limit) : found.slice(0, limit)
      answer(200, { messages: page, authors: [] })(response, seen)
    }
  /** `perInstant` messages share each millisecond. */
  const written = (count: number, perInstant: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: id(i),
      created_at: new Date(Date.UTC(2026, 0, 2) + Math.floor(i / perInstant)).toISOString(),
    }))
  const start = '2026-01-01T00:00:00.000Z'
  const ids = (all: { id: string }[]) => all.map((one) => one.id)

  test.each([1, 7, 99])('backward and forward, %d per millisecond [spec: 8/messages_page]', async (perInstant) => {
    const all = written(350, perInstant)
    await using it = await rig([channelOf(all)])
    const channel_id = id(1)
    expect(ids(await collect(it.client.messages.all({ channel_id })))).toEqual(ids(all).toReversed())
    expect(ids(await collect(it.client.messages.all({ channel_id, after: start })))).toEqual(ids(all))
    const before = all[200]!.created_at
    const below = all.filter((one) => one.created_at < before)
    expect(ids(await collect(it.client.messages.all({ channel_id, before })))).toEqual(ids(below).toReversed())
    expect(ids(await collect(it.client.messages.all({ channel_id, after: start, before })))).toEqual(ids(below))
  })

  test('continues past a millisecond with more messages than fit on a page', async () => {
    const all = [...written(150, 150), ...written(151 + 20, 1).slice(151)]
    await using it = await rig([channelOf(all)])
    const got = ids(await collect(it.client.messages.all({ channel_id: id(1), after: start })))
    expect(got).toEqual([...ids(all).slice(0, 100), ...ids(all).slice(150)])
  })
})

test('messages.deleteAll deletes a hundred per call, and merges the results [spec: 8/bulk_delete]', async () => {
  const behaviour: Behaviour = (response, seen) => {
    const { ids } = JSON.parse(String(seen.body)) as { ids: string[] }
    answer(200, { deleted: ids.slice(1), skipped: ids.slice(0, 1) })(response, seen)
  }
  await using it = await rig([behaviour])
  const ids = Array.from({ length: 250 }, (_, i) => id(i))
  const { deleted, skipped } = await it.client.messages.deleteAll({ channel_id: id(1), ids })
  expect(it.seen.map(({ body }) => (JSON.parse(String(body)) as { ids: string[] }).ids.length)).toEqual([100, 100, 50])
  expect(skipped).toEqual([id(0), id(100), id(200)])
  expect(deleted).toHaveLength(247)
})

test('messages.deleteAll continues if the service responds with counts [spec: decisions/41]', async () => {
  await using it = await rig([answer(200, { deleted: 100, skipped: 0 })])
  const ids = Array.from({ length: 250 }, (_, i) => id(i))
  expect(await it.client.messages.deleteAll({ channel_id: id(1), ids })).toEqual({ deleted: [], skipped: [] })
  expect(it.seen).toHaveLength(3)
})

describe('unusual pages', () => {
  /** A call that returns these pages in turn, and its inputs. */
  const pages = (...all: unknown[]) => {
    const inputs: unknown[] = []
    const call = (async (_: string, input: unknown) => all[inputs.push(input) - 1]) as unknown as Call
    return { call, inputs }
  }

  test('members without any id end the list', async () => {
    const members = Array.from({ length: 500 }, () => ({ username: 'ann' }))
    const { call, inputs } = pages({ members })
    expect(await collect(allMembers(call, { server_id: id(1) }))).toHaveLength(500)
    expect(inputs).toEqual([{ server_id: id(1), limit: 500 }])
  })

  test('an empty page ends the list', async () => {
    const { call, inputs } = pages({ messages: [] })
    expect(await collect(allMessages(call, { channel_id: id(1), before: 'b' }))).toEqual([])
    expect(inputs).toEqual([{ channel_id: id(1), limit: 100, before: 'b' }])
  })

  test('deleting counts only the messages that the service names', async () => {
    const { call, inputs } = pages(undefined, { deleted: 5, skipped: null }, { deleted: ['a'], skipped: ['b'] })
    const ids = Array.from({ length: 250 }, (_, i) => id(i))
    expect(await deleteMessages(call, { channel_id: id(1), ids })).toEqual({ deleted: ['a'], skipped: ['b'] })
    expect(inputs).toEqual([
      { channel_id: id(1), ids: ids.slice(0, 100) },
      { channel_id: id(1), ids: ids.slice(100, 200) },
      { channel_id: id(1), ids: ids.slice(200) },
    ])
  })
})
