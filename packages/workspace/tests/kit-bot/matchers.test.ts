import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let chat: Awaited<ReturnType<typeof startTestBot>>
beforeAll(async () => void (chat = await startTestBot(new URL('.', import.meta.url))))
afterAll(() => chat[Symbol.asyncDispose]())

/** The error message of a failed matcher. */
function told(check: () => void): string {
  try {
    check()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the matcher did not fail')
}

test('toHaveReplied compares whole texts, patterns and fields, and shows the actual answer', async () => {
  const asked = await chat.person('ann').says('/vote')
  expect(asked).toHaveReplied()
  expect(asked).toHaveReplied('Tea or coffee?')
  expect(asked).toHaveReplied(/coffee/)
  expect(asked).toHaveReplied({ content: 'Tea or coffee?', ephemeral: false })
  expect(asked).not.toHaveReplied('Tea')
  expect(told(() => expect(asked).toHaveReplied('Pong'))).toBe(
    'expected the bot to reply "Pong"; ann said "/vote", and the bot replied "Tea or coffee?" [🍵 Tea] [Coffee]',
  )
  expect(told(() => expect(asked).not.toHaveReplied(/tea/i))).toContain(
    'expected the bot not to reply /tea/i; ann said',
  )
})

test('a failed comparison of fields begins with the first field that differs, of the most similar message', async () => {
  const card = await chat.person('ann').says('/card')
  expect(told(() => expect(card).toHaveReplied({ embeds: [{ title: 'Score', footer: { text: 'round 2' } }] }))).toMatch(
    /^first difference: embeds\.0\.footer\.text is "round 1" instead of "round 2"\nexpected the bot to reply Object \{/,
  )
  expect(told(() => expect(card).toHaveEmbed({ title: 'Score', description: 'x' }))).toMatch(
    /^first difference: description is undefined instead of "x"\n/,
  )
  expect(told(() => expect(card).toHaveReplied({ embeds: [] }))).toMatch(
    /^first difference: embeds has 1 instead of 0\n/,
  )
  const asked = await chat.person('ann').says('/vote')
  expect(told(() => expect(asked).toHaveButton({ label: 'Coffee', style: 'danger' }))).toMatch(
    /^first difference: style is "secondary" instead of "danger"\n/,
  )
  const long = `Tea or coffee, or ${'water '.repeat(20)}?`
  expect(told(() => expect(asked).toHaveReplied(long))).toMatch(
    /^first difference: content is "Tea or coffee\?" instead of "Tea or coffee, or water .*…"\nexpected/,
  )
  expect(told(() => expect(asked).toHaveReplied({ content: /milk/, ephemeral: false }))).toMatch(
    /^first difference: content is "Tea or coffee\?" instead of \/milk\/\n/,
  )
  expect(told(() => expect(asked).not.toHaveReplied({ ephemeral: false }))).toMatch(/^expected the bot not to reply/)
})

test('a pattern with the flag g or y matches on every call', async () => {
  const asked = await chat.person('ann').says('/vote')
  const pattern = /tea/gi
  for (let n = 0; n < 3; n++) {
    expect(asked).toHaveReplied(pattern)
    expect(asked).toHaveReplied({ content: pattern })
    expect(asked).toHaveButton(pattern)
    expect(asked).toHaveButton({ label: pattern })
  }
})

test('names a value that is not an answer, and the matching matchers', async () => {
  const asked = await chat.person('ann').says('/vote')
  expect(told(() => expect(asked.replies[0]).toHaveReplied('Tea or coffee?'))).toContain(
    'it got one message of it: use toHaveEmbed, toHaveButton or toBeEphemeral, or compare its .content',
  )
  expect(told(() => expect(undefined).toHaveReplied())).toContain('it got undefined')
  expect(told(() => expect('pong').toHaveReplied())).toContain('it got pong')
})

test('rejects an invalid time, and a file instead of a folder, with a clear error', async () => {
  const folder = new URL('.', import.meta.url)
  await expect(startTestBot(folder, { now: 'yesterday' })).rejects.toMatchObject({
    code: 'ERR_INVALID_REQUEST',
    message: "now: not a time; write it as '2026-03-01T08:00:00Z'",
  })
  await expect(startTestBot(import.meta.url)).rejects.toThrow(/matchers\.test\.ts is a file: pass the bot's folder$/)
})

test('toHaveUpdated and toBeEphemeral distinguish an edit from an ephemeral answer', async () => {
  const ann = chat.person('ann')
  const asked = await ann.says('/vote')
  const clicked = await ann.clicks('Coffee', asked)
  expect(clicked).toHaveUpdated(/takes coffee/)
  expect(clicked).not.toHaveUpdated(/takes tea/)
  expect(clicked).not.toBeEphemeral()
  expect(clicked.replies[0]).toBeEphemeral()
  expect(told(() => expect(asked).toHaveUpdated())).toContain('expected the bot to edit a message; ann said "/vote"')
  expect(told(() => expect(asked).toBeEphemeral())).toContain('expected the bot to reply to the clicker alone')
})

test('toHaveReacted names the emoji', async () => {
  const thanked = await chat.person('ann').says('thank you')
  expect(thanked).toHaveReacted()
  expect(thanked).toHaveReacted('👍')
  expect(thanked).not.toHaveReacted('👎')
  expect(told(() => expect(thanked).toHaveReacted('👎'))).toBe(
    'expected the bot to react with 👎; ann said "thank you", and the bot reacted with 👍',
  )
})

test('toHaveEmbed and toHaveButton inspect the visible message', async () => {
  const card = await chat.person('ann').says('/card')
  expect(card).toHaveEmbed()
  expect(card).toHaveEmbed({ title: /sco/i, footer: { text: 'round 1' } })
  expect(card).not.toHaveEmbed({ title: 'Sco' })
  expect(card).not.toHaveButton()
  expect(told(() => expect(card).toHaveEmbed({ title: 'Result' }))).toContain('card(Score · ann: 3 · round 1)')
  const asked = await chat.person('ann').says('/vote')
  expect(asked).toHaveButton('Tea')
  expect(asked).toHaveButton(/^Cof/)
  expect(asked.first).toHaveButton({ label: 'Coffee', style: 'secondary' })
  expect(told(() => expect(asked).toHaveButton('Milk'))).toContain('expected the bot to show a button [Milk]')
})

test('rejects a value that is not an answer, with the fix', () => {
  expect(told(() => expect(Promise.resolve()).toHaveReplied())).toContain('a promise: await it first')
  expect(told(() => expect('Pong').toHaveReplied())).toContain("expect(await ann.says('/ping')).toHaveReplied()")
})

test('the matchers are typed', () => {
  const types = () => {
    // @ts-expect-error: a number is not a text, pattern or message.
    expect(1).toHaveReplied(1)
    // @ts-expect-error: a message has no such field.
    expect(1).toHaveReplied({ text: 'Pong' })
    // @ts-expect-error: a card has no such field.
    expect(1).toHaveEmbed({ heading: 'Score' })
  }
  expect(types).toBeTypeOf('function')
})
