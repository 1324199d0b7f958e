import { type Person, startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = {
  people: ['ann', 'bob', 'carol'].map((username) => ({ username })),
  servers: [
    {
      name: 'Club',
      owner: 'ann',
      members: ['bob', 'carol'],
      channels: [{ name: 'general' }, { name: 'news' }],
    },
  ],
}

const env = { ANNOUNCE_TOKEN: 'token-of-the-tests', ANNOUNCE_CHANNEL: 'news' }

// 19:00 in Berlin; a Monday.
const start = (more = {}): Promise<TestBot> =>
  startTestBot(new URL('..', import.meta.url), { world, env: { ...env, ...more }, now: '2026-03-02T18:00:00Z' })

async function withQuiz(seats = 1): Promise<TestBot> {
  const chat = await start()
  await chat.person('ann').says(`/event add "Pub quiz" 2026-03-06 20:00 --seats ${seats}`)
  return chat
}

const seen = async (person: Person) => (await person.sees()).map(({ content }) => content)

test('adds an event with its date and its seats', async () => {
  await using chat = await start()
  const answer = await chat.person('ann').says('/event add "Pub quiz" friday 20:00 --seats 4')
  expect(answer).toHaveEmbed({ title: 'Pub quiz', description: 'Friday, March 6, 2026, 8:00 PM' })
  expect(answer.embeds[0]?.fields).toEqual([{ name: 'Coming (0 of 4)', value: '–' }])
  expect(answer).toHaveButton('I come')
})

test('rejects an event in the past, and one without a time', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/event add "Pub quiz" 2026-03-01')).toHaveReplied(
    /^start must be a date or time in the future/,
  )
  expect(await ann.says('/event add "Pub quiz"')).toHaveReplied(/^start is missing/)
})

test('adds no event in direct messages', async () => {
  await using chat = await start()
  expect(await chat.person('bob').dm().says('/event add Quiz friday 20:00')).toHaveReplied(
    'This works in servers only.',
  )
})

test('gives a seat to a person who comes', async () => {
  await using chat = await withQuiz(2)
  const click = await chat.person('bob').clicks('I come')
  expect(click).toHaveReplied('You have a seat.')
  expect(click).toHaveUpdated({ embeds: [expect.objectContaining({ title: 'Pub quiz' })] })
  expect(click.updates[0]?.embeds?.[0]?.fields).toEqual([
    { name: 'Coming (1 of 2)', value: `<@${chat.world.people['bob']!.id}>` },
  ])
})

test('counts a person once', async () => {
  await using chat = await withQuiz(2)
  await chat.person('bob').clicks('I come')
  expect(await chat.person('bob').clicks('I come')).toHaveReplied('You have a seat.')
  expect(await chat.person('ann').says('/event list')).toHaveEmbed({ description: /1 free seat$/ })
})

test('puts people on the waiting list when all seats are taken', async () => {
  await using chat = await withQuiz()
  await chat.person('bob').clicks('I come')
  const click = await chat.person('carol').clicks('I come')
  expect(click).toHaveReplied('All seats are taken. You are number 1 on the waiting list.')
  expect(click.updates[0]?.embeds?.[0]?.fields?.[1]?.name).toBe('1 person waits')
})

test('moves the first person of the waiting list up when someone leaves', async () => {
  await using chat = await withQuiz()
  await chat.person('bob').clicks('I come')
  await chat.person('carol').clicks('I come')
  await chat.person('carol').says('/language me de')
  const click = await chat.person('bob').clicks('I do not come')
  expect(click).toHaveReplied('You do not come.')
  const carol = `<@${chat.world.people['carol']!.id}>`
  expect(click.updates[0]?.embeds?.[0]?.fields).toEqual([{ name: 'Coming (1 of 1)', value: carol }])
  expect(click).toHaveReplied(`${carol} Ein Platz ist frei: Du bist bei Pub quiz (06.03.2026, 20:00) dabei.`)
})

test('moves no one up when a waiting person leaves', async () => {
  await using chat = await withQuiz()
  await chat.person('ann').clicks('I come')
  await chat.person('bob').clicks('I come')
  await chat.person('carol').clicks('I come')
  expect((await chat.person('bob').clicks('I do not come')).replies).toHaveLength(1)
  expect(await chat.person('carol').clicks('I come')).toHaveReplied(/number 1 on/)
})

test('keeps seats and buttons across a restart', async () => {
  await using chat = await withQuiz()
  await chat.person('bob').clicks('I come')
  await chat.restartBot()
  expect(await chat.person('carol').clicks('I come')).toHaveReplied(/waiting list/)
})

test('shows how many people wait, in the order of their answers', async () => {
  await using chat = await withQuiz()
  for (const name of ['ann', 'bob', 'carol']) await chat.person(name).clicks('I come')
  const { bob, carol } = chat.world.people
  const click = await chat.person('carol').clicks('I come')
  expect(click).toHaveReplied(/number 2 on the waiting list/)
  expect(click.updates[0]?.embeds?.[0]?.fields?.[1]).toEqual({
    name: '2 people wait',
    value: `<@${bob!.id}> <@${carol!.id}>`,
  })
})

test('takes no answers after the event has begun', async () => {
  await using chat = await withQuiz()
  await chat.clock.advance('5d')
  expect(await chat.person('bob').clicks('I come')).toHaveReplied('This event is over.')
})

test('lists the events that come, in order of time, in pages', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.says('/event list')).toHaveReplied('There are no events. Add one with /event add.')
  for (const day of [7, 6, 5, 4, 3, 2, 1]) await ann.says(`/event add "Day ${day}" in ${day}d`)
  const first = await ann.says('/event list')
  expect(first.embeds[0]?.description).toMatch(/^\*\*Day 1\*\*[^]*\*\*Day 5\*\*.*$/)
  expect((await ann.clicks('▶')).updates[0]?.embeds?.[0]?.description).toMatch(/^\*\*Day 6\*\*[^]*\*\*Day 7\*\*.*$/)
  await chat.clock.advance('6d 1m')
  expect(await ann.says('/event list')).toHaveEmbed({ description: '**Day 7**, Mar 9, 2026, 7:00 PM: 10 free seats' })
})

test('shows a title literally', async () => {
  await using chat = await start()
  await chat.person('ann').says('/event add "**Loud** @everyone" in 2h')
  expect((await chat.person('ann').says('/event list')).embeds[0]?.description).not.toContain('**Loud**')
})

test('reminds the people with a seat an hour before, even after a restart', async () => {
  await using chat = await withQuiz()
  const bob = chat.person('bob')
  await bob.clicks('I come')
  await chat.person('carol').clicks('I come')
  await chat.clock.advance('3d')
  await chat.restartBot()
  const reminder = await bob.watches(() => chat.clock.advance('1d'))
  expect(reminder).toHaveReplied(`⏰ Pub quiz begins at 8:00 PM. <@${chat.world.people['bob']!.id}>`)
})

test('sends no reminder if no one comes', async () => {
  await using chat = await withQuiz()
  expect(await chat.person('bob').watches(() => chat.clock.advance('7d'))).not.toHaveReplied()
})

test('answers each person in their language, and the channel in that of the server', async () => {
  await using chat = await withQuiz()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  expect(await bob.says('/language me de')).toHaveReplied('Ich antworte dir jetzt auf Deutsch.')
  const help = /^`\/event add <Titel> <Beginn> \[--seats=10\]`\nLegt eine Veranstaltung an\n/
  expect(await bob.says('/help event add')).toHaveReplied(help)
  const click = await bob.clicks('I come')
  expect(click).toHaveReplied('Du hast einen Platz.')
  expect(click.updates[0]?.embeds?.[0]?.fields?.[0]?.name).toBe('Coming (1 of 1)')
  expect(await bob.says('/language server de')).toHaveReplied(/Manage server/)
  expect(await ann.says('/language server de')).toHaveReplied('Ich schreibe hier jetzt auf Deutsch.')
  expect(await ann.says('/event add Lesung 2026-03-07 20:00')).toHaveEmbed({
    description: 'Samstag, 7. März 2026, 20:00',
  })
})

test('answers questions about events in messages', async () => {
  await using chat = await withQuiz()
  const carol = chat.person('carol')
  expect(await carol.says('When is the pub quiz?')).not.toHaveReplied()
  expect(await carol.says('When is pub quiz?')).toHaveReplied('**Pub quiz**, Mar 6, 2026, 8:00 PM: 1 free seat')
  expect(await carol.says(`<@${chat.world.bots['bot']!.id}>, what is next?`)).toHaveReplied(/^\*\*Pub quiz\*\*/)
  expect(await carol.says('hello')).not.toHaveReplied()
  expect(await carol.dm().says('hello')).toHaveReplied(/^I keep the calendar/)
})

test('announces an event of another program once', async () => {
  await using chat = await start()
  const body = { title: 'Concert', start: '2026-03-08T19:00:00Z', seats: 20 }
  const headers = { 'idempotency-key': 'concert-1' }
  expect((await chat.http.post('/event', body, { headers })).status).toBe(202)
  await chat.http.post('/event', body, { headers })
  const posts = await chat.person('bob').in('news').sees()
  expect(posts.map(({ embeds }) => embeds?.[0]?.title)).toEqual(['Concert'])
  expect(await chat.person('bob').in('news').clicks('I come')).toHaveReplied('You have a seat.')
})

test('refuses an event without a token, and one that is not valid', async () => {
  await using chat = await start()
  const headers = { authorization: 'Bearer wrong' }
  expect(
    (await chat.http.post('/event', { title: 'Concert', start: '2026-03-08', seats: 20 }, { headers })).status,
  ).toBe(401)
  expect((await chat.http.post('/event', { title: 'Concert', start: 'soon', seats: 20 })).status).toBe(422)
})

test('notifies its owner of a failure', async () => {
  await using chat = await start({ ANNOUNCE_CHANNEL: 'nowhere' })
  const request = chat.http.post('/event', { title: 'Concert', start: '2026-03-08', seats: 20 })
  await expect(request).rejects.toThrow('there is no channel #nowhere')
  const [message = ''] = await seen(chat.person('ann').dm())
  expect(message).toMatch(
    /^routes\/event\.ts failed \(\w+\): there is no channel #nowhere \(ANNOUNCE_CHANNEL in \.env\)$/,
  )
})
