import type { RecordedEvent, ReplayedEvent } from '@botwright/framework/replay'
import { expect, test } from 'vitest'
import { compare, sameText } from './compare.ts'

const reply = (content: string, more: object = {}) => ({ name: 'messages.create', input: { content, ...more }, ms: 1 })
const was = (more: Partial<RecordedEvent>): RecordedEvent => ({
  seq: 1,
  baseUrl: '',
  botId: '',
  username: '',
  id: 1,
  type: 'message',
  created_at: '',
  data: {},
  atMs: 0,
  result: 'ok',
  calls: [],
  ...more,
})
const held = (before: Partial<RecordedEvent>, now: Partial<ReplayedEvent>) =>
  compare({ event: was(before), result: 'ok', calls: [], ...now })

test('equal answers are the same, whatever was read and whatever the order of fields', () => {
  const read = { name: 'channels.get', input: {}, ms: 1 }
  expect(
    held(
      { calls: [reply('a', { reply_to: 'm' })] },
      { calls: [read, { name: 'messages.create', input: { reply_to: 'm', content: 'a' }, ms: 9 }] },
    ),
  ).toBe('same')
  expect(held({ calls: [reply('a'), reply('b')] }, { calls: [reply('b'), reply('a')] })).toBe('same')
})

test('another text, a further answer and another refusal are different', () => {
  expect(held({ calls: [reply('a')] }, { calls: [reply('b')] })).toBe('different')
  expect(held({ calls: [reply('a')] }, { calls: [reply('a'), reply('a')] })).toBe('different')
  expect(held({ calls: [reply('a')] }, { calls: [{ ...reply('a'), code: 'ERR_FORBIDDEN' }] })).toBe('different')
  expect(held({ result: 'none' }, { calls: [] })).toBe('different')
})

test('distinguishes new, fixed and different errors', () => {
  expect(held({}, { result: 'error', error: 'x' })).toBe('error')
  expect(held({ result: 'error', error: 'x' }, {})).toBe('fixed')
  expect(held({ result: 'error', error: 'x' }, { result: 'error', error: 'y' })).toBe('different')
  expect(held({ result: 'error', error: 'x' }, { result: 'error', error: 'x' })).toBe('same')
  expect(held({ result: 'none' }, { result: 'none' })).toBe('unhandled')
  expect(held({}, { result: 'skipped' })).toBe('skipped')
})

test('random parts may differ if they differ consistently', () => {
  const [a, b, c] = [
    '11111111-2222-3333-4444-555555555555',
    'aaaaaaaa-2222-3333-4444-555555555555',
    'cccccccc-2222-3333-4444-555555555555',
  ]
  expect(sameText(`${a} ${b} ${a}`, `${b} ${c} ${b}`)).toBe(true)
  expect(sameText(`${a} ${b} ${a}`, `${b} ${c} ${c}`)).toBe(false)
  expect(sameText(`${a} ${a}`, `${b} ${c}`)).toBe(false)
  expect(sameText('went wrong (ref ab2c).', 'went wrong (ref xy9z).')).toBe(true)
  expect(sameText('vote.AAAAAAAAAAAAAAAAAAAAAA yes', 'vote.AAAAAAAAAAAAAAAAAAAAAB yes')).toBe(true)
  expect(sameText('vote.AAAAAAAAAAAAAAAAAAAAAA yes', 'vote.AAAAAAAAAAAAAAAAAAAAAB no')).toBe(false)
})
