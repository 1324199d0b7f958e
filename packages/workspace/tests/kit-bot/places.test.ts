import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
const files = {
  'commands/where.ts': 'export default (ctx) => `in <#${ctx.channel_id}>`\n',
  'commands/like.ts': `export default () => ({ content: 'Like?', components: [{ type: 'row', components: [
    { type: 'button', style: 'primary', custom_id: 'like', emoji: '❤️', label: 'Caf\\u00e9' }] }] })\n`,
  'events/interaction.ts': "export default (ctx) => ctx.ephemeral('thanks')\n",
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botwright-places-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
})
afterAll(() => rm(folder, { recursive: true }))

const channels = [{ name: 'general' }]

test('a person writes in a channel of a server that they are in, although another server has a channel of that name', async () => {
  const world = {
    people: [{ username: 'ann' }, { username: 'bob' }],
    servers: [
      { name: 'Attic', owner: 'ann', channels },
      { name: 'Barn', owner: 'bob', channels },
    ],
  }
  await using chat = await startTestBot(folder, { world })
  const { Attic, Barn } = chat.world.servers
  expect(await chat.person('bob').says('/where')).toHaveReplied(`in <#${Barn!.channels['general']}>`)
  expect(await chat.person('ann').in('general').says('/where')).toHaveReplied(`in <#${Attic!.channels['general']}>`)
  expect(await chat.person('carol').says('/where')).toHaveReplied(`in <#${Attic!.channels['general']}>`)
})

test('a person writes in the channel that has a name now', async () => {
  await using chat = await startTestBot(folder)
  const ann = chat.person('ann')
  const { id: server_id, channels: all } = chat.world.servers['Workshop']!
  await ann.api.channels.delete({ channel_id: all['general']! })
  const { channel } = await ann.api.channels.create({ server_id, name: 'general' })
  expect(await ann.says('/where')).toHaveReplied(`in <#${channel.id}>`)
})

test('names and buttons may have composed or decomposed letters, and emoji a variation selector or none [spec: decisions/53]', async () => {
  const world = {
    people: [{ username: 'zo\u00eb' }],
    servers: [
      { name: 'B\u00e4r\u2764\ufe0f', owner: 'zo\u00eb', channels: [...channels, { name: 'caf\u00e9\u2699\ufe0f' }] },
    ],
  }
  await using chat = await startTestBot(folder, { world })
  const zoe = chat.person('zoe\u0308').in('cafe\u0301\u2699')
  const asked = await zoe.says('/like')
  for (const button of ['Cafe\u0301', '\u2764', '\u2764\ufe0f', '\u2764 Cafe\u0301', '\u2764\ufe0f Caf\u00e9']) {
    expect(asked).toHaveButton(button)
    expect(await zoe.clicks(button, asked)).toHaveReplied('thanks')
  }
  await chat.person('ann').joins('Ba\u0308r\u2764')
  await chat.off('/like', { server: 'Ba\u0308r\u2764' })
  expect(await chat.member('zoe\u0308', 'Ba\u0308r\u2764')).toMatchObject({ username: 'zo\u00eb' })
})

test('a start that fails restores the variables of the process', async () => {
  const start = (MOOD: string, owner: string) =>
    startTestBot(folder, {
      env: { MOOD },
      world: { people: [{ username: 'ann' }], servers: [{ name: 'Attic', owner }] },
    })
  await expect(start('bad', 'eve')).rejects.toThrow('there is no person named "eve"')
  expect(process.env['MOOD']).toBeUndefined()
  await using chat = await start('good', 'ann')
  expect([process.env['MOOD'], chat.bot.username]).toEqual(['good', 'bot'])
})

test('a person has one name in any case, as on the service', async () => {
  const world = {
    people: [{ username: 'ann' }, { username: 'Bob' }],
    servers: [
      { name: 'Attic', owner: 'ann', channels },
      { name: 'Barn', owner: 'Bob', channels },
    ],
  }
  await using chat = await startTestBot(folder, { world })
  const bob = chat.person('bob')
  expect([bob.username, bob.id]).toEqual(['Bob', chat.world.people['Bob']!.id])
  // Only newcomers join the first server.
  expect(await bob.says('/where')).toHaveReplied(`in <#${chat.world.servers['Barn']!.channels['general']}>`)
  expect(await chat.member('bob')).toBeUndefined()
  expect(await chat.member('ANN')).toMatchObject({ username: 'ann' })
  await chat.person('Zoe').known()
  expect(await chat.member('zoe')).toMatchObject({ username: 'Zoe', id: chat.person('ZOE').id })
})
