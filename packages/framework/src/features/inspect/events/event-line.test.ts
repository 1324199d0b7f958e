import type { RecordedCall, RecordedEvent } from '../../history/recorded-event.ts'
import pc from 'picocolors'
import { expect, test } from 'vitest'
import { EventLines } from './event-line.ts'

const refused = 'channels.delete: the service answered 403: not allowed'
const event = {
  ...{ seq: 1, baseUrl: '', botId: '', username: 'shop', id: 2, type: 'message', created_at: '', atMs: 0 },
  ...{ data: { author: 'ann', command: 'close', content: '/close' }, file: 'commands/close.ts', ms: 107 },
} as const
const call = (facts: Partial<RecordedCall>): RecordedCall => ({ name: '', input: {}, ms: 1, ...facts })

test('shows the error of a refused call once, and what the bot answered after it', () => {
  const recorded: RecordedEvent = {
    ...event,
    result: 'error',
    error: refused,
    calls: [
      call({ name: 'channels.delete', code: 'ERR_FORBIDDEN', error: refused }),
      call({ name: 'messages.create', input: { reply_to: '1', content: 'Something went wrong.' } }),
    ],
  }
  const line = new EventLines(pc.createColors(false), Infinity).line(recorded)
  expect(line).toMatch(/✘ {2}channels\.delete: the service answered 403: not allowed · reply “Something went wrong\.”$/)
})

test('shows the error of a call that the handler caught', () => {
  const calls = [call({ name: 'users.dm', code: 'ERR_FORBIDDEN', error: 'users.dm: the service answered 403' })]
  const line = new EventLines(pc.createColors(false), Infinity).line({ ...event, result: 'ok', calls })
  expect(line).toContain('open direct messages failed: ERR_FORBIDDEN the service answered 403')
})

test('in a narrow window, an error has a line of its own', () => {
  const recorded: RecordedEvent = { ...event, result: 'error', error: 'the kettle is empty', calls: [] }
  const lines = new EventLines(pc.createColors(false), 70).line(recorded).split('\n')
  expect(lines).toEqual([expect.stringMatching(/commands\/close\.ts +107 ms {2}✘$/), '          the kettle is empty'])
})
