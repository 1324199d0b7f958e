import { expect, it } from 'vitest'
import { Stream } from './stream.ts'

const news = { channel_id: null, server_id: null, user_id: '', presence: { status: 'idle', activity: null } } as const

/** A page that counts its events. */
function countingPage() {
  const page = { sent: 0, ended: 0 }
  const send = () => Promise.resolve(page.sent++)
  return { page, listener: { send, end: () => void page.ended++ } }
}

it('sends to every page of a person until it unsubscribes', () => {
  const stream = new Stream()
  const [first, second] = [countingPage(), countingPage()]
  const leave = stream.subscribe('ann', first.listener)
  stream.subscribe('ann', second.listener)
  stream.send('ann', 'presence', news)
  leave()
  stream.send('ann', 'presence', news)
  expect([first.page.sent, second.page.sent, stream.listeners()]).toEqual([1, 2, ['ann']])
  stream.end('ann')
  expect([first.page.ended, second.page.ended]).toEqual([0, 1])
})
