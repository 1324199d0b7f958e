import { expect, test } from 'vitest'
import { read, show, type Votes } from './poll.ts'
import type { SayInPoll } from './texts.ts'

const say: SayInPoll = (key, values = {}) => `${key} ${Object.values(values).join(' ')}`
const id = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`
const components = [{ type: 'row' as const, components: [] }]

test('a poll with long texts and thousands of votes fits into an embed', () => {
  const choices = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(80))
  const poll = { question: 'q'.repeat(200), authorId: id(0), choices }
  const votes: Votes = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [id(n), n % 10]))
  const shown = show(poll, { votes, say, color: '#5e6ad2', components })
  const [card] = shown.embeds ?? []
  const texts = [
    card?.title,
    card?.description,
    card?.footer?.text,
    ...(card?.fields ?? []).flatMap((one) => [one.name, one.value]),
  ]
  expect(texts.join('').length).toBeLessThanOrEqual(6000)
  expect(card?.fields?.[0]?.value).toMatch(/^▰▱{9} 500 (?:<@[0-9-]{36}> ){10}more 490$/)
})

test('an open poll is read back from its message, and a closed one is not', () => {
  const poll = { question: 'Tea?', authorId: id(1), choices: ['yes', 'no'] }
  const shown = show(poll, { votes: {}, say, color: '#5e6ad2', components })
  const message = (parts: object) => ({ embeds: shown.embeds, ...parts }) as unknown as Parameters<typeof read>[0]
  expect(read(message({ components }))).toEqual(poll)
  expect(read(message({ components: [] }))).toBeUndefined()
  expect(read(message({ components, embeds: [{ title: 'Tea?' }] }))).toBeUndefined()
})
