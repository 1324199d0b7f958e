import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestBot } from '@botwright/testing'

for (const n of [1, 2, 3]) {
  test(`each command answers: bot ${n}`, async () => {
    const chat = await startTestBot(new URL('.', import.meta.url))
    try {
      const [ann, bob] = [chat.person('ann').in('general'), chat.person('bob').in('random')]
      const [one, two] = await Promise.all([ann.says('/one'), bob.says('/two')])
      assert.equal(one.content, 'Hello! one!')
      assert.equal(two.content, 'Hello! two!')
    } finally {
      await chat[Symbol.asyncDispose]()
    }
  })
}
