import { matchers, startTestBot } from '@botwright/testing'

expect.extend(matchers)

// Jest fails if two files import a third one at the same time. With `workers`, Node imports the bot's files.
test.each([1, 2, 3])('each command answers: bot %i', async () => {
  const chat = await startTestBot(new URL('.', import.meta.url), { workers: true })
  try {
    const [ann, bob] = [chat.person('ann').in('general'), chat.person('bob').in('random')]
    const [one, two] = await Promise.all([ann.says('/one'), bob.says('/two')])
    expect(one).toHaveReplied('Hello! one!')
    expect(two).toHaveReplied(/two/)
    expect(() => expect(two).toHaveReplied('three')).toThrow('expected the bot to reply "three"; bob said "/two"')
  } finally {
    await chat[Symbol.asyncDispose]()
  }
})
