import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'
import { questions } from '../lib/questions.ts'

const folder = new URL('..', import.meta.url)
const answerTo = (text: string): string => questions.find((one) => text.includes(one.text))?.answer ?? ''
const wrongFor = (text: string): string =>
  questions.find((one) => text.includes(one.text))?.choices.find((one) => one !== answerTo(text)) ?? ''

test('asks quiz questions one by one and counts correct answers', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  const first = await ann.says('/quiz 2')
  expect(await chat.person('bob').clicks(answerTo(first.content))).toBeEphemeral()
  const second = await ann.clicks(answerTo(first.content))
  expect(second).toHaveUpdated(`${first.content}\n**${answerTo(first.content)}**`)
  const [next] = second.replies
  expect(await ann.clicks(wrongFor(next!.content))).toHaveReplied('1 of 2 right! You now have 1 point.')
  expect(await ann.says('/scores')).toHaveReplied(/^1\. <@.+>: 1$/)
})

test('ends a race on the first correct click and allows one guess per person', async () => {
  await using chat = await startTestBot(folder)
  const { content } = await chat.person('ann').says('/race')
  const bob = chat.person('bob')
  expect(await bob.clicks(wrongFor(content))).toBeEphemeral()
  expect(await bob.clicks(answerTo(content))).toHaveReplied('You have already guessed.')
  expect(await chat.person('carol').clicks(answerTo(content))).toHaveUpdated(/carol was first/)
})

test('plays /guess until the number is found', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  let answer = await ann.says('/guess')
  expect(await ann.says('a hundred')).toHaveReplied(/^The answer must be a whole number from 1 to 100/)
  for (let low = 1, high = 100; !answer.content.startsWith('Yes');) {
    const middle = Math.floor((low + high) / 2)
    answer = await ann.says(`${middle}`)
    if (answer.content === 'Higher!') low = middle + 1
    else high = middle - 1
  }
  expect(answer).toHaveReplied(/^Yes, it is \d+! You needed (?:1 try|[2-7] tries)\.$/)
})

test('notifies people after a timeout and after a restart', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  await ann.says('/guess')
  const late = await ann.watches(() => chat.clock.advance({ minutes: 1 }))
  expect(late).toHaveReplied('No answer came within 1 min. To start again: /guess')
  await ann.says('/quiz')
  const restarted = await ann.watches(() => chat.restartBot())
  expect(restarted).toHaveReplied(/I restarted while waiting for your answer. Please start again: \/quiz$/)
  expect(await ann.watches(() => chat.clock.advance({ minutes: 5 }))).not.toHaveReplied()
  expect(await ann.says('Jupiter')).not.toHaveReplied()
})
