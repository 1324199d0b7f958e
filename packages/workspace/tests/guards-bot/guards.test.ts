import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of packages/framework/docs/guards.md: dan is staff, eve can manage messages, ann owns the bot and the server.

const roles = [
  { name: 'Staff', members: ['dan'] },
  { name: 'Cleaners', permissions: ['manage_messages' as const], members: ['eve'] },
]
const people = ['ann', 'bob', 'dan', 'eve'].map((username) => ({ username }))
const channels = [{ name: 'general' }, { name: 'random' }]
const servers = [{ name: 'Workshop', owner: 'ann', members: ['bob', 'dan', 'eve'], roles, channels }]
const start = () => startTestBot(new URL('.', import.meta.url), { world: { people, servers } })

test('a cooldown shows the remaining time, counts per person, and survives a restart', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/daily')).toHaveReplied('bob gets 10 coins')
  await chat.clock.advance({ hours: 5, minutes: 30 })
  expect(await bob.says('/daily')).toHaveReplied('Wait 18 h 30 min, then try again.')
  expect(await chat.person('dan').says('/daily')).toHaveReplied('dan gets 10 coins')
  await chat.restartBot()
  await chat.clock.advance({ hours: 18 })
  expect(await bob.says('/daily')).toHaveReplied('Wait 30 min, then try again.')
  await chat.clock.advance({ minutes: 30 })
  expect(await bob.says('/daily')).toHaveReplied('bob gets 10 coins')
  // A refusal is not an error.
  expect(chat.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
})

test('the guards of a folder apply to its commands; a usage error does not start a cooldown', async () => {
  await using chat = await start()
  const whom = `<@${chat.world.people['bob']!.id}>`
  const dan = chat.person('dan')
  expect(await chat.person('bob').says(`/staff warn ${whom}`)).toHaveReplied('Only the staff can use this.')
  expect(await dan.says('/staff warn')).toHaveReplied(/Usage: \/staff warn/)
  expect(await dan.says(`/staff warn ${whom}`)).toHaveReplied(/be nice/)
  // The other guard of anyOf lets the owner of the bot pass.
  expect(await chat.person('ann').says(`/staff warn ${whom}`)).toHaveReplied(/be nice/)
  expect(await dan.says(`/staff warn ${whom} `)).toHaveReplied('Enough for now. 1 min to go.')
  expect(await dan.in('random').says(`/staff warn ${whom}`)).toHaveReplied(/be nice/)
})

test('a use counts only if the command runs: not on a usage error, a refusal or a refund', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/market buy cake')).toHaveReplied(/^what must be tea or bread/)
  expect(await bob.dm().says('/market buy tea')).toHaveReplied('This works in servers only.')
  for (const blanks of [' ', '  ', '   '])
    expect(await bob.says(`/market buy${blanks}bread`)).toHaveReplied('The bread is sold out.')
  expect(await bob.says('/market buy tea')).toHaveReplied('bob has tea')
  // A refusal by the command's own cooldown does not use the folder's.
  for (const what of ['tea', 'bread', 'tea '])
    expect(await bob.in('random').says(`/market buy  ${what}`)).toHaveReplied('Wait 1 h, then try again.')
  expect(await bob.says('/market sell')).toHaveReplied('bob has sold')
  expect(await bob.says('/market sell ')).toHaveReplied('Wait 1 min, then try again.')
})

test('simultaneous uses do not exceed the limit', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const answers = await bob.watches(async () => {
    await Promise.all(['general', 'random'].map((channel) => bob.in(channel).posts('/market buy tea')))
    await chat.settled()
  })
  expect(answers.replies.map(({ content }) => content).sort()).toEqual(['Wait 1 h, then try again.', 'bob has tea'])
})

test('permissions come from the roles, and the owner of the server has all of them', async () => {
  await using chat = await start()
  expect(await chat.person('eve').says('/tidy')).toHaveReplied('tidy')
  expect(await chat.person('ann').in('random').says('/tidy')).toHaveReplied('tidy')
  expect(await chat.person('bob').says('/tidy')).toHaveReplied(
    'Only people with the permission "Manage messages" can use this.',
  )
})

test('a command that needs a permission of the bot works five seconds after the bot got it', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const mute = `/mute <@${chat.world.people['bob']!.id}>`
  expect(await ann.says(mute)).toHaveReplied(
    'I need the permission "Timeout members" for this. Give me a role that has it.',
  )
  const server_id = chat.world.servers['Workshop']!.id
  const { role } = await ann.api.roles.create({ server_id, name: 'Helpers', permissions: ['timeout_members'] })
  await ann.api.moderation.addRole({ server_id, user_id: Object.values(chat.world.bots)[0]!.id, role_id: role.id })
  await chat.clock.advance({ seconds: 5 })
  expect(await ann.says(mute)).toHaveReplied(/is quiet for ten minutes/)
})

test('warns once about a role that a server does not have, with both names, but not if another guard of anyOf passes', async () => {
  const lost = [{ name: 'Stuff' }, { name: 'Cleaners' }]
  await using chat = await startTestBot(new URL('.', import.meta.url), {
    world: { people, servers: [{ ...servers[0]!, roles: lost }] },
  })
  const warnings = () => chat.log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)
  const whom = `<@${chat.world.people['bob']!.id}>`
  expect(await chat.person('ann').says(`/staff warn ${whom}`)).toHaveReplied(/be nice/)
  expect(warnings()).toEqual([])
  for (const name of ['bob', 'eve'])
    expect(await chat.person(name).says(`/staff warn ${whom}`)).toHaveReplied('Only the staff can use this.')
  expect(warnings()).toEqual([
    'commands/staff/warn.ts: hasRole("Staff") lets no one through in the server "Workshop", which has no such role; did you mean "Stuff"?',
  ])
})

test('requests the roles of members once, however busy the channel is, and again after 30 seconds', async () => {
  await using chat = await start()
  const eve = chat.person('eve')
  const asked = async () => (await chat.calls()).filter(({ path }) => /\/(roles|members)(\/|$)/.test(path)).length
  for (let i = 0; i < 5; i++) await eve.says(`/tidy ${i}`)
  expect(await asked()).toBe(2)
  await chat.clock.advance({ seconds: 31 })
  await eve.says('/tidy again')
  expect(await asked()).toBe(3)
})

test('a custom guard has its own refusal; a refused click is answered privately', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.in('random').says('/sing')).toHaveReplied('Not here, bob.')
  const song = await bob.says('/sing')
  expect(await bob.clicks('Encore', song)).toHaveReplied('♪♪')
  const refused = await chat.person('dan').clicks('Encore', song)
  expect(refused.messages.map(({ ephemeral, content }) => [ephemeral, content])).toEqual([
    [true, 'Wait 10 s, then try again.'],
  ])
})

test('a guard can load data for its refusal and read the args of a command; a middleware can read its handler', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/borrow')).toHaveReplied(/^title is missing/)
  expect(await bob.says('/borrow Ulysses')).toHaveReplied('/borrow: all copies are out.')
  expect(await bob.says('/borrow Emma')).toHaveReplied('bob has Emma')
  expect(await bob.says('/borrow Dune')).toHaveReplied('Pay 3 coins first.')
  await bob.clicks('Encore', await bob.says('/sing'))
  const lines = chat.log.filter(({ level }) => level === 'info').map(({ msg }) => msg)
  expect(lines.slice(-3)).toEqual(['bob: /borrow', 'bob: /sing', 'bob: encore'])
})

test('an answer that the service refuses is reported for its own file, not for the middleware around it', async () => {
  await using chat = await start()
  await chat.faults({ endpoint: 'messages.create', status: 503 })
  await expect(chat.person('bob').says('/daily')).rejects.toMatchObject({
    message: expect.stringMatching(/^commands\/daily\.ts: messages\.create: the service answered 503/) as string,
    file: 'commands/daily.ts',
    at: 'commands/daily.ts',
  })
})

test('guards distinguish direct messages from servers', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  expect(await bob.says('/secret')).toHaveReplied('This works in direct messages only.')
  expect(await bob.dm().says('/secret')).toHaveReplied('42')
  expect(await bob.dm().says('/daily')).toHaveReplied('This works in servers only.')
})

test('refused commands are answered at most three times a minute', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  for (let i = 0; i < 3; i++) expect(await bob.says(`/tidy ${i}`)).toHaveReplied(/Manage messages/)
  expect(await bob.says('/tidy 4')).not.toHaveReplied()
  await chat.clock.advance({ seconds: 61 })
  expect(await bob.says('/tidy 5')).toHaveReplied(/Manage messages/)
})

test('/help describes the guards', async () => {
  await using chat = await start()
  const help = await chat.person('bob').says('/help daily')
  expect(help.content).toContain('Only in servers, ')
  expect(help.content).toContain('limited to one use per 1 day per person')
})
