import { readFileSync } from 'node:fs'
import type { World } from '@botwright/service'
import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = JSON.parse(readFileSync(new URL('../world.json', import.meta.url), 'utf8')) as World
const start = () => startTestBot(new URL('..', import.meta.url), { world })

/** Plays three days. `between` runs between two steps. */
async function threeDays(chat: TestBot, between: () => Promise<unknown> = async () => {}) {
  const zoe = chat.person('zoe').dm()
  const mia = chat.person('mia').in('moderators')
  expect(await zoe.joins()).toHaveReplied(/^Welcome, zoe! Who are you/)
  await between()
  const asked = await mia.watches(() => zoe.says('I build kites.'))
  expect(asked).toHaveReplied('zoe is new here: I build kites.')
  await between()
  expect(await zoe.watches(() => mia.clicks('Approve'))).toHaveReplied(/^mia made you a member/)
  expect((await chat.member('zoe'))?.roles).toEqual(['member'])
  await between()
  expect(await zoe.watches(() => chat.clock.advance({ days: 1 }))).toHaveReplied(/^Tip: /)
  await between()
  expect(await zoe.watches(() => chat.clock.advance({ days: 1 }))).toHaveReplied('How do you like it here?')
  await between()
  expect(await zoe.says('A lot!')).toHaveReplied('Thank you, and have fun!')
}

test('guides a new member over three days', async () => {
  await using chat = await start()
  await threeDays(chat)
})

test('continues after a restart between any two steps', async () => {
  await using chat = await start()
  await threeDays(chat, () => chat.restartBot())
})

test('loses nothing and repeats nothing after a crash at any step', async () => {
  await using chat = await start()
  // CI plays a crash before and after every step.
  await chat.crashAfterEveryStep((another) => threeDays(another), process.env['CI'] ? {} : { sample: 8 })
})

test('reminds a newcomer after a day, and gives up after two', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe')
  await zoe.joins()
  await chat.restartBot({ after: '12h' })
  const reminder = await zoe.watches(() => chat.clock.advance({ hours: 12 }))
  expect(reminder).toHaveReplied(/^You have not introduced yourself yet/)
  const end = await zoe.watches(() => chat.clock.advance({ days: 1 }))
  expect(end).toHaveReplied(/^Come back when you have time/)
})

test('reports the decision of a moderator who declines', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe').dm()
  const mia = chat.person('mia').in('moderators')
  await zoe.joins()
  await zoe.says('Buy my kites!')
  expect(await chat.person('ann').in('moderators').clicks('Approve')).toBeEphemeral()
  await mia.clicks('Decline')
  const declined = await zoe.watches(() => mia.says('No advertising, please.'))
  expect(declined).toHaveReplied('mia did not make you a member: No advertising, please.')
  expect((await chat.member('zoe'))?.roles).toEqual([])
})

test('shows an introduction without mentions, and cuts a long one', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe').dm()
  await zoe.joins()
  const asked = await chat
    .person('mia')
    .in('moderators')
    .watches(() => zoe.says(`@everyone ${'x'.repeat(1990)}`))
  expect(asked).toHaveReplied(/^zoe is new here: &#64;everyone x+…$/)
})

test('ends without a message when the newcomer leaves', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe')
  await zoe.joins()
  await zoe.leaves()
  expect(await zoe.watches(() => chat.clock.advance({ days: 3 }))).not.toHaveReplied()
})

test('begins again when the newcomer leaves and joins again', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe').dm()
  await zoe.joins()
  await zoe.leaves()
  await chat.clock.advance({ hours: 1 })
  expect(await zoe.joins()).toHaveReplied(/^Welcome, zoe!/)
  const { replies } = await zoe.watches(() => chat.clock.advance({ days: 1 }))
  expect(replies.map(({ content }) => content)).toEqual([
    expect.stringMatching(/^You have not introduced yourself yet/),
  ])
  const asked = await chat
    .person('mia')
    .in('moderators')
    .watches(() => zoe.says('I build kites.'))
  expect(asked.replies).toHaveLength(1)
})

test('ends without a message when the newcomer leaves later', async () => {
  await using chat = await start()
  const zoe = chat.person('zoe').dm()
  await zoe.joins()
  await zoe.says('I build kites.')
  await chat.person('mia').in('moderators').clicks('Approve')
  await zoe.leaves()
  expect(await zoe.watches(() => chat.clock.advance({ days: 3 }))).not.toHaveReplied()
})
