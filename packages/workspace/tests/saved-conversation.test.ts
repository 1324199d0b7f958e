import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { World } from '@botwright/service'
import { conversationOf, writeTest } from '@botwright/service/save-test'
import { startTestBot } from '@botwright/testing'
import { afterAll, expect, test } from 'vitest'

// Saves a real conversation with the example poll as a test and runs that test here: its `test(…)` belongs to this file.

const folder = new URL('../../../examples/poll/', import.meta.url)
const fileNamed = (name: string) => fileURLToPath(new URL(`test/${name}-${process.pid}.generated.ts`, folder))
const [file, libraryFile] = [fileNamed('saved'), fileNamed('saved-in-library')]
afterAll(() => [file, libraryFile].forEach((path) => rmSync(path, { force: true })))

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
  const journal = await ann.api.inspector.journal({ bot_id: chat.bot.id })
  const channelId = asked.channel_id
  const { servers } = await ann.api.me.get()
  const options = { ...journal, channelId, channel: 'general', serverId: servers[0]!.id }
  return writeTest(conversationOf(options), { title: 'the saved conversation holds' })
}

/** A world without the default people. The channel "desk" is in both servers; the conversation is in the second one. */
const library: World = {
  people: [{ username: 'zoe', token: 'token-of-zoe' }, { username: 'yan' }],
  bots: [
    { username: 'porter', owner: 'zoe', token: 'token-of-porter' },
    { username: 'pollster', owner: 'zoe', token: 'token-of-pollster' },
  ],
  servers: [
    { name: 'Station', owner: 'zoe', bots: ['porter'], channels: [{ name: 'desk' }] },
    {
      name: "Zoe's library",
      owner: 'zoe',
      members: ['yan'],
      bots: ['porter', 'pollster'],
      roles: [{ name: 'readers', permissions: ['manage_messages'], members: ['yan'] }],
      channels: [{ name: 'desk' }, { name: 'stacks', private: true, roles: ['readers'] }],
    },
  ],
}

async function savedInLibrary(): Promise<string> {
  const [porter, pollster] = library.bots!
  await using chat = await startTestBot(folder, { world: { ...library, bots: [pollster!, porter!] } })
  const { id: serverId, channels } = chat.world.servers["Zoe's library"]!
  const channelId = channels['desk']!
  const [zoe, yan] = [chat.person('zoe').in(channelId), chat.person('yan').in(channelId)]
  await zoe.says('/poll "Quiet hours?" Yes No')
  await yan.clicks('Yes')
  const journal = await zoe.api.inspector.journal({ bot_id: chat.bot.id })
  const { world } = await zoe.api.inspector.world({ bot_id: chat.bot.id })
  const named = new Map([[channelId, { server: "Zoe's library", name: 'desk' }]])
  const options = { ...journal, channelId, channel: 'desk', serverId, channels: named }
  return writeTest(conversationOf(options), { title: 'the conversation in a world of its own holds', world })
}

const [text, inLibrary] = [await savedConversation(), await savedInLibrary()]
for (const [path, written] of [
  [file, text],
  [libraryFile, inLibrary],
] as const) {
  writeFileSync(path, written)
  await import(/* @vite-ignore */ path)
}

test('the saved test keeps the world that the bot ran in, without its tokens', () => {
  expect(inLibrary).toContain('name: "Zoe\'s library"')
  expect(inLibrary).toContain("await yan.clicks('Yes')")
  expect(inLibrary).not.toContain('token-of')
  expect(text).not.toContain('world:')
})

test('the saved test contains every step', () => {
  expect(text).toContain("await bob.clicks('Noodles')")
  expect(text).toContain('ephemeral: true')
  expect(text).toContain('await chat.clock.advance({ seconds: 30 })')
  expect(text.match(/clicks\(/g)).toHaveLength(5)
})
