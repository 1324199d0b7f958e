import { expect, test } from 'vitest'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'

const api = JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)
const commands = {
  'commands/who.ts': `import { command, user } from ${api}
export default command({ description: 'Who', args: { who: user() }, run: (ctx) => 'it is ' + ctx.args.who })`,
  'commands/where.ts': `import { command, channel } from ${api}
export default command({ description: 'Where', args: { where: channel() }, run: (ctx) => 'it is ' + ctx.args.where })`,
  'commands/what.ts': `import { command, list, role } from ${api}
export default command({ description: 'What', args: { what: list(role()) }, run: (ctx) => 'it is ' + ctx.args.what.join(' ') })`,
}

/** Typed text, and the first line of the answer. */
const asking = (rig: ChatRig) => async (text: string) => {
  const before = (await rig.texts()).length
  await rig.says('ann', text)
  await rig.until(async () => (await rig.texts()).length >= before + 2)
  return (await rig.texts()).at(-1)!.split('\n', 1)[0]
}

test('finds users by mention, id, username and unique nickname, and reports ambiguous names', async () => {
  await using rig = await ChatRig.start(['ann', 'ben', 'bea', 'carl'])
  for (const name of ['ben', 'bea']) await rig.person(name).me.update({ display_name: 'Bee' })
  await rig.person('carl').me.update({ display_name: 'Carlo <@everyone>' })
  await rig.startBot(commands, { dispatcher: 'inline' })
  const idOf = (name: string) => rig.service.world.people[name]!.id
  const answer = asking(rig)
  expect(await answer(`/who <@${idOf('ben')}>`)).toBe(`it is ${idOf('ben')}`)
  expect(await answer(`/who ${idOf('ben')} `)).toBe(`it is ${idOf('ben')}`)
  expect(await answer('/who @BEN')).toBe(`it is ${idOf('ben')}`)
  expect(await answer('/who carl')).toBe(`it is ${idOf('carl')}`)
  // In the letters of an East Asian keyboard, as for other names.
  expect(await answer('/who @ｃａｒｌ')).toBe(`it is ${idOf('carl')}`)
  expect(await answer('/where ｒａｎｄｏｍ')).toBe(`it is ${rig.channel('random')}`)
  expect(await answer('/who bee')).toMatch(
    /^who must be one person, but several people have that name \(@(ben, @bea|bea, @ben)\); mention the one you mean$/,
  )
  expect(await answer('/who carol')).toBe(
    'who must be a person; no member of this server has that name; did you mean @carl?',
  )
  expect(await answer('/who <everyone>')).toBe('who must be a person: mention one, or type a name')
  expect(await answer('/where RANDOM')).toBe(`it is ${rig.channel('random')}`)
  expect(await answer(`/where <#${rig.channel('random')}>`)).toBe(`it is ${rig.channel('random')}`)
  expect(await answer('/where rando')).toBe(
    'where must be a channel; no channel of this server has that name; did you mean #random?',
  )
})

test('finds roles by name and id', async () => {
  await using rig = await ChatRig.start(['ann'])
  const { id: server } = rig.service.world.servers['Workshop']!
  const made = async (name: string) => {
    const { role } = await rig.person('ann').roles.create({ server_id: server, name })
    return role.id
  }
  const [staff, night] = [await made('Staff'), await made('Night shift')]
  await made('Staff 2')
  await rig.startBot(commands, { dispatcher: 'inline' })
  const answer = asking(rig)
  expect(await answer(`/what staff "night SHIFT" ${staff}`)).toBe(`it is ${staff} ${night} ${staff}`)
  expect(await answer('/what @Staf')).toBe(
    'what (item 1) must be a role; no role of this server has that name; did you mean @Staff?',
  )
})

test('looks up no names in direct messages', async () => {
  await using rig = await ChatRig.start(['ann'])
  const bot = await rig.startBot(commands, { dispatcher: 'inline' })
  const { channel_id } = await rig.person('ann').users.dm({ user_id: bot.me.id })
  const texts = async () => {
    const { messages } = await rig.person('ann').messages.list({ channel_id })
    return messages.map(({ content }) => content)
  }
  await rig.person('ann').messages.create({ channel_id, content: '/who ann' })
  await rig.until(async () => (await texts()).length === 2)
  expect((await texts())[1]).toContain('who must be a person: mention one, because names work in servers only')
})
