import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ConversationOptions, conversationOf, writeTest } from '@botwright/service/save-test'
import { startTestBot } from '@botwright/testing'
import { afterAll, expect, test } from 'vitest'

// Saves a real conversation with the example poll as a test and runs that test here: its `test(…)` belongs to this file.

const folder = new URL('../../../examples/poll/', import.meta.url)
const file = fileURLToPath(new URL(`test/saved-${process.pid}.generated.ts`, folder))
afterAll(() => rmSync(file, { force: true }))

async function savedConversation(): Promise<string> {
  await using chat = await startTestBot(folder)
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const asked = await ann.says('/poll "What\'s for lunch?" Noodles Rice')
  await bob.clicks('Noodles')
  await bob.clicks('Noodles')
  await ann.clicks('Rice', asked)
  await chat.clock.advance({ seconds: 30 })
  await bob.clicks('Close')
  await ann.clicks('Close')
  const { bots } = await ann.call<{ bots: { id: string }[] }>('GET', '/bots')
  const journal = await ann.call<ConversationOptions>('GET', `/bots/${bots[0]!.id}/journal`)
  const channelId = asked.channel_id
  const { servers } = await ann.call<{ servers: { id: string }[] }>('GET', '/me')
  const options = { ...journal, channelId, channel: 'general', serverId: servers[0]!.id }
  return writeTest(conversationOf(options), { title: 'the saved conversation holds' })
}

const text = await savedConversation()
writeFileSync(file, text)
await import(/* @vite-ignore */ file)

test('the saved test contains every step', () => {
  expect(text).toContain("await bob.clicks('Noodles')")
  expect(text).toContain('ephemeral: true')
  expect(text).toContain('await chat.clock.advance({ seconds: 30 })')
  expect(text.match(/clicks\(/g)).toHaveLength(5)
})
