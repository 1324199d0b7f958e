import { type Person, startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const folder = new URL('..', import.meta.url)

/** Asks the assistant, and returns what the bot has written when a text that fits is complete. The channel continues while it writes. */
async function ask(person: Person, question: string, fits: RegExp): Promise<string[]> {
  const before = (await person.sees()).length
  const texts = async () => (await person.sees()).slice(before + 1).map(({ content }) => content)
  await person.says(`/ask ${question}`)
  await expect.poll(texts).toContainEqual(expect.stringMatching(fits))
  return texts()
}

test('streams the answer of the model', async () => {
  await using chat = await startTestBot(folder)
  expect(await ask(chat.person('ann'), 'what can you do?', /too\.$/)).toEqual([
    'I can roll dice, and keep notes. Ask me for a story, too.',
  ])
})

test('the model reads the conversation before the question', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  await ask(ann, 'what can you do?', /too\.$/)
  expect(await ask(ann, 'repeat my question', /^You asked/)).toContain('You asked: what can you do?')
})

test('the model calls a command, whose reply appears, and uses its result', async () => {
  await using chat = await startTestBot(folder)
  const texts = await ask(chat.person('ann'), 'roll 3 dice', /Done: 🎲 [1-6], [1-6], [1-6]$/)
  expect(texts.toSorted()).toEqual([
    expect.stringMatching(/^I will roll for you\. Done: 🎲 [1-6], [1-6], [1-6]$/),
    expect.stringMatching(/^🎲 [1-6], [1-6], [1-6]$/),
  ])
})

test('arguments that the model gets wrong do not run the command', async () => {
  await using chat = await startTestBot(folder)
  const texts = await ask(
    chat.person('ann'),
    'roll many dice',
    /did not work: count must be a whole number from 1 to 10/,
  )
  expect(texts).toHaveLength(1)
})

test('guards and cooldowns apply to the person who asks', async () => {
  await using chat = await startTestBot(folder)
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  expect(await ask(bob, 'note buy stamps', /^Done: Noted/)).toContain('Noted (1 in all).')
  expect(await ask(bob, 'note buy bread', /^That did not work: .*10 s/)).toHaveLength(1)
  expect(await ask(bob, 'announce lunch', /^That did not work: .*owner/)).toHaveLength(1)
  expect(await ask(ann, 'announce lunch', /^Done/)).toContain('📣 lunch')
  expect(await bob.says('/note list')).toHaveReplied('- buy stamps')
})

test('a long answer can be stopped', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  await ann.says('/ask tell me a story')
  await expect.poll(async () => (await ann.sees()).at(-1)?.components?.length).toBe(1)
  await ann.clicks('Stop')
  await expect.poll(async () => (await ann.sees()).at(-1)?.content).toMatch(/^Sentence 1 .*…$/)
})
