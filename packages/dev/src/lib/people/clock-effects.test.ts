import type { BotCall } from '@botwright/service/people'
import { expect, test } from 'vitest'
import { effectOf } from './clock-effects.ts'

const channel = '00000000-0000-4000-8000-000000000001'
const message = '00000000-0000-4000-8000-000000000002'
const reacted = (emoji: string, status: number): BotCall => ({
  id: 1,
  at: '2026-01-01T00:00:00.000Z',
  bot_id: '00000000-0000-4000-8000-000000000003',
  method: 'PUT',
  path: `/v1/channels/${channel}/messages/${message}/reactions/${emoji}`,
  sent: null,
  status,
  answer: null,
  took_ms: 1,
  retry_after: null,
  warnings: [],
})
const wordsOf = (emoji: string, status: number) => effectOf('helper', reacted(emoji, status), new Map())?.words

test('a reaction has its emoji, and one whose path the service could not decode has the path', () => {
  expect(wordsOf(encodeURIComponent('👍'), 200)).toContain('👍')
  expect(wordsOf('👍', 200)).toContain('👍')
  expect(wordsOf('%E0%A4%A', 400)).toContain('%E0%A4%A')
  expect(wordsOf('100%', 400)).toContain('100%')
})
