import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of "Handle a burst once" in packages/framework/docs/events.md.

const start = () => startTestBot(new URL('.', import.meta.url))

test('messages that follow each other quickly get one reply, to the last one', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('hello')).not.toHaveReplied()
  await chat.clock.advance({ seconds: 1 })
  expect(await ann.says('my printer')).not.toHaveReplied()
  await chat.clock.advance({ seconds: 1 })
  const answer = await ann.watches(() => chat.clock.advance({ seconds: 1 }))
  expect(answer).toHaveReplied('You wrote: hello / my printer')
  const [first, second] = await ann.sees()
  expect([first?.content, answer.replies[0]?.reply_to_id]).toEqual(['hello', second?.id])
})

test('a burst ends after the longest time', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const answer = await ann.watches(async () => {
    for (let i = 0; i < 12; i++) {
      await ann.posts(String(i))
      await chat.clock.advance({ seconds: 1 })
    }
  })
  expect(answer).toHaveReplied('You wrote: 0 / 1 / 2 / 3 / 4 / 5 / 6 / 7 / 8 / 9')
  expect(await ann.watches(() => chat.clock.advance({ seconds: 1 }))).toHaveReplied('You wrote: 10 / 11')
})

test('a command of the channel ends the burst, and runs after it', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('hello')
  await bob.says('hi')
  await ann.says('there')
  const answer = await bob.says('/ping')
  expect(answer.replies.map(({ content }) => content)).toEqual(['You wrote: hello / there', 'You wrote: hi', 'Pong'])
})

test('commands of a channel form one burst', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('/note buy milk')
  await bob.says('/note buy tea')
  const answer = await ann.watches(() => chat.clock.advance({ seconds: 2 }))
  expect(answer).toHaveReplied('Stored 2 notes. The last one: buy tea')
})

test('after a restart, the events of an open burst come again', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('hello')
  await ann.says('there')
  await chat.restartBot()
  const answer = await ann.watches(() => chat.clock.advance({ seconds: 2 }))
  expect(answer).toHaveReplied('You wrote: hello / there')
  expect(await ann.watches(() => chat.restartBot())).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ seconds: 20 }))).not.toHaveReplied()
})
