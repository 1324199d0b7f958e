import { startTestBot } from '@botwright/testing'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/errors.md.

const start = () => startTestBot(new URL('.', import.meta.url))

/** The last direct message to the owner of the bot. */
const told = async (chat: Awaited<ReturnType<typeof start>>) => (await chat.person('ann').dm().sees()).at(-1)?.content

test('the owner learns of the error of a command, with the reference that the person has got', async () => {
  await using chat = await start()
  await expect(chat.person('bob').says('/fail')).rejects.toThrow('commands/fail.ts:6: no tea left')
  const apology = (await chat.person('bob').sees()).at(-1)!.content
  const [reference] = /\b[a-z0-9]{4}\b(?=\W*$)/.exec(apology)!
  await expect.poll(() => told(chat)).toBe(`handler in commands/fail.ts:6: no tea left (${reference})`)
})

test('the owner learns of the error of a task', async () => {
  await using chat = await start()
  await expect(chat.clock.advance({ days: 1 })).rejects.toThrow('tasks/nightly.ts:6: no disk left')
  await expect.poll(() => told(chat)).toBe('task in tasks/nightly.ts:6: no disk left (no reference)')
})
