import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const voters = Array.from({ length: 24 }, (_, i) => `voter${i}`)
const world = {
  people: [...['ann', 'bob', ...voters].map((username) => ({ username })), { username: 'quiet', accepts_dms: false }],
  servers: [
    {
      name: 'Workshop',
      owner: 'ann',
      members: ['bob', 'quiet', ...voters],
      channels: [{ name: 'general' }],
      roles: [
        { name: 'red' },
        { name: 'blue' },
        // The options have decomposed letters.
        { name: 'invité' },
        { name: 'janitor', permissions: ['manage_roles' as const], members: ['bot'] },
      ],
    },
  ],
}
const start = (roles = world.servers[0]!.roles) =>
  startTestBot(new URL('.', import.meta.url), { world: { ...world, servers: [{ ...world.servers[0]!, roles }] } })

test('shows a poll in the language of the server, and answers each person in their own', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  await ann.says('/language de server')
  await bob.says('/language en')
  const poll = await ann.says('/poll Tee? ja nein')
  expect(poll).toHaveEmbed({ title: 'Tee?', description: `gefragt von <@${await ann.known()}>`, color: '#2e8b57' })
  expect(poll).toHaveButton('Schließen')
  const vote = await bob.clicks('ja')
  expect(vote).toHaveEmbed({ footer: { text: '1 Stimme' } })
  expect(vote).toHaveReplied({ content: 'You voted for ja.', ephemeral: true })
  expect(await ann.clicks('ja')).toHaveReplied({ content: 'Du hast für ja gestimmt.', ephemeral: true })
  expect(await ann.clicks('nein')).toHaveReplied({ content: 'Du stimmst jetzt für nein.', ephemeral: true })
  expect(await bob.clicks('Schließen')).toHaveReplied('Only the person who asked can close this poll.')
  expect(await ann.clicks('Schließen')).toHaveEmbed({ footer: { text: 'beendet · 2 Stimmen' } })
})

test('describes its commands in the language of the person', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/help poll')).toHaveReplied(/^`\/poll <question> .*`\nStarts a poll/)
  await ann.says('/language de')
  expect(await ann.says('/help poll')).toHaveReplied(/^`\/poll <frage> .*`\nStartet eine Umfrage/)
})

test('counts more votes than the names that fit into the message, also after a restart', async () => {
  await using chat = await start()
  await chat.person('ann').says('/poll Tea? yes no')
  for (const name of voters) await chat.person(name).clicks('yes')
  await chat.restartBot()
  const last = await chat.person('bob').clicks('yes')
  expect(last).toHaveEmbed({ footer: { text: '25 votes' } })
  expect(last.embeds[0]?.fields?.[0]?.value).toMatch(/^▰{10} 25 (?:<@[0-9a-f-]+> ){20}\+5$/)
  const [first] = voters
  const changed = await chat.person(first!).clicks('no')
  expect(changed.embeds[0]?.fields?.map(({ value }) => value.split(' ')[1])).toEqual(['24', '1'])
})

test('gives the roles of reactions, and takes them when the reaction is removed', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const colors = await ann.says('/reaction-roles colors')
  expect(colors).toHaveReplied('Choose your colors:\n❤️ red\n💙 blue')
  expect(colors).toHaveReacted('💙')
  // The service may leave out U+FE0F.
  await bob.reacts('❤', colors)
  await bob.reacts('💙', colors)
  await bob.reacts('🎉', colors)
  expect((await chat.member('bob'))?.roles.toSorted()).toEqual(['blue', 'red'])
  await chat.restartBot()
  await bob.unreacts('💙', colors)
  expect((await chat.member('bob'))?.roles).toEqual(['red'])

  const rules = await ann.says('/reaction-roles rules')
  expect(rules).toHaveReplied('React with ✅ to agree.')
  expect(await bob.reacts('✅', rules)).toHaveReplied('Welcome!')
  await bob.unreacts('✅', rules)
  expect((await chat.member('bob'))?.roles.toSorted()).toEqual(['invité', 'red'])
  expect(await bob.reacts('✅', await ann.says('/poll Tea? yes no'))).not.toHaveReplied()
})

test('gives the role to a person who accepts no direct messages', async () => {
  await using chat = await start()
  const rules = await chat.person('ann').says('/reaction-roles rules')
  expect(await chat.person('quiet').reacts('✅', rules)).not.toHaveReplied()
  expect((await chat.member('quiet'))?.roles).toEqual(['invité'])
})

test('posts nothing for an unknown name, without a role, or for people who may not', async () => {
  await using chat = await start(world.servers[0]!.roles.slice(1))
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  expect(await ann.says('/reaction-roles')).toHaveReplied('There is no message "". Choose one: colors, rules.')
  await ann.says('/language de')
  expect(await ann.says('/reaction-roles constructor')).toHaveReplied(
    'Es gibt keine Nachricht „constructor“. Wähle eine: colors, rules.',
  )
  expect(await ann.says('/reaction-roles colors')).toHaveReplied(
    'Auf diesem Server gibt es keine Rolle „red“. Lege sie an, oder ändere die Optionen des Bots.',
  )
  expect(await bob.says('/reaction-roles rules')).toHaveReplied(/^Only people with the permission/)
})

test('welcomes a new member in the language of the server, with a direct message and a role', async () => {
  await using chat = await start()
  await chat.person('ann').says('/language de server')
  const zoe = chat.person('zoe')
  const answer = await zoe.joins()
  const mention = `<@${await zoe.known()}>`
  expect(answer).toHaveReplied(`Willkommen, ${mention}! Du bist Mitglied Nummer 28.`)
  expect((await zoe.dm().sees()).at(-1)?.content).toBe(`Hello, ${mention}! {this} is not a value.`)
  expect((await chat.member('zoe'))?.roles).toEqual(['invité'])
})

test('welcomes a member although the role and the channel are missing', async () => {
  const channels = [{ name: 'lobby' }]
  const servers = [{ ...world.servers[0]!, channels, roles: [] }]
  await using chat = await startTestBot(new URL('.', import.meta.url), { world: { ...world, servers } })
  const zoe = chat.person('zoe').in('lobby')
  expect(await zoe.joins()).toHaveReplied(/^Hello, /)
  expect((await chat.member('zoe'))?.roles).toEqual([])
})

test('gives a new member the role and the direct message although it may not write in the channel', async () => {
  const channels = [{ name: 'general', read_only: true }]
  const servers = [{ ...world.servers[0]!, channels }]
  await using chat = await startTestBot(new URL('.', import.meta.url), { world: { ...world, servers } })
  expect(await chat.person('zoe').joins()).toHaveReplied(/^Hello, /)
  expect((await chat.member('zoe'))?.roles).toEqual(['invité'])
})

test('answers a second click on the button that closes a poll like a click in a closed poll', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/poll Tea? yes no')
  const [first] = await Promise.all([ann.clicks('Close'), ann.clicks('Close')])
  expect(first.replies.map(({ content }) => content)).toEqual(['This poll is closed.'])
})

test('thanks a person only once if they react again at once: the service refuses the same message', async () => {
  await using chat = await start()
  const bob = chat.person('bob')
  const rules = await chat.person('ann').says('/reaction-roles rules')
  expect(await bob.reacts('✅', rules)).toHaveReplied('Welcome!')
  await bob.unreacts('✅', rules)
  expect(await bob.reacts('✅', rules)).not.toHaveReplied()
})

test('a poll needs a question', async () => {
  await using chat = await start()
  expect(await chat.person('ann').says('/poll "" yes no')).toHaveReplied(
    /^question must be text of 1 to 200 characters/,
  )
})
