import { systemClock } from '@botwright/clock'
import { createFeed, openJournal } from '@botwright/events'
import { expect, it } from 'vitest'

it('delivers each event once, in the order of its channel', async () => {
  const page = [7, 8, 8, 9].map((id) => ({ id, type: 'message', data: { channel_id: 'c' }, created_at: '' }))
  using journal = openJournal({ file: ':memory:', baseUrl: 'local', botId: 'b', clock: systemClock })
  const seen: number[] = []
  const feed = createFeed({
    listEvents: async ({ after }) => ({ events: page.filter(({ id }) => id > after), last: 9 }),
    run: async ({ event }) => void seen.push(event.id),
    journal,
    clock: systemClock,
    report: console.log,
    start: 'kept',
  })
  feed.start()
  await expect.poll(() => seen).toEqual([7, 8, 9])
  await feed.stop({ graceMs: 1000 })
})
