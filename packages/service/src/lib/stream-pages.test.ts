import { expect, it } from 'vitest'
import { Stream } from './stream.ts'

const news = { channel_id: null, server_id: null, user_id: '', presence: { status: 'idle', activity: null } } as const

/** A page that takes events when `take` is called. */
function slowPage() {
  const waiting: (() => void)[] = []
  const page = { sent: 0, ended: 0, take: () => waiting.splice(0).forEach((taken) => taken()) }
  const send = () => {
    page.sent++
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { page, listener: { send, end: () => void page.ended++ } }
}

it('a page that takes nothing is let go when 1000 events wait for it; one that reads, however slowly, is not', async () => {
  const stream = new Stream()
  const { page: stuck, listener } = slowPage()
  const { page: slow, listener: other } = slowPage()
  stream.subscribe('ann', listener)
  stream.subscribe('bob', other)
  for (let sent = 0; sent < 2500; sent++) {
    stream.send('ann', 'presence', news)
    stream.send('bob', 'presence', news)
    if (sent % 1000 === 999) {
      expect(stuck.sent).toBe(1000)
      slow.take()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  expect(stuck).toMatchObject({ sent: 1000, ended: 1500 })
  expect(slow).toMatchObject({ sent: 2500, ended: 0 })
})

it('tells every page of a person, until it is unsubscribed', () => {
  const stream = new Stream()
  const [first, second] = [slowPage(), slowPage()]
  const leave = stream.subscribe('ann', first.listener)
  stream.subscribe('ann', second.listener)
  stream.send('ann', 'presence', news)
  leave()
  stream.send('ann', 'presence', news)
  expect([first.page.sent, second.page.sent, stream.listeners()]).toEqual([1, 2, ['ann']])
  stream.end('ann')
  expect([first.page.ended, second.page.ended]).toEqual([0, 1])
})
