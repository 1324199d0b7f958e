import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// `ctx.approve`: several requests at a time, and requests without a decision.

const world = {
  people: ['ann', 'bob', 'mia'].map((username) => ({ username })),
  servers: [
    {
      name: 'Office',
      owner: 'mia',
      members: ['ann', 'bob'],
      roles: [{ name: 'Manager', members: ['mia'] }],
      channels: [{ name: 'general' }, { name: 'managers' }],
    },
  ],
}
const start = () => startTestBot(new URL('.', import.meta.url), { world })

/** Asks for days off, and returns the request. */
async function request(chat: TestBot, who: string, days: number) {
  await chat.person(who).says('/leave')
  const asked = await chat
    .person('mia')
    .in('managers')
    .watches(() => chat.person(who).says(String(days)))
  return asked.replies[0]!
}

for (const restarts of [false, true])
  test(`a manager who has declined two requests can answer both questions${restarts ? ' after restarts' : ''}`, async () => {
    await using chat = await start()
    const restart = async () => void (restarts && (await chat.restartBot()))
    const [ann, bob, mia] = [chat.person('ann'), chat.person('bob'), chat.person('mia').in('managers')]
    const first = await request(chat, 'ann', 3)
    const second = await request(chat, 'bob', 4)
    await restart()
    const why = await mia.clicks('Decline', first)
    expect(why).toHaveReplied(/> Why do you decline "ann asks for 3 days off\."\? Type the reason, or "cancel"\.$/)
    await restart()
    expect(await mia.clicks('Decline', second)).toHaveReplied(/> Why do you decline "bob asks for 4 days off\."\?/)
    await restart()
    // A reply answers the question that it replies to, and any other message the newest one.
    const declined = await ann.watches(() => mia.replies(why.replies[0]!, 'We are three already.'))
    expect(declined).toHaveReplied('mia declined: We are three already.')
    await restart()
    expect(await bob.watches(() => mia.says('It is too long.'))).toHaveReplied('mia declined: It is too long.')
  })

for (const restarts of [false, true])
  test(`only the person who declined answers the question, newest or not${restarts ? ', also after restarts' : ''}`, async () => {
    await using chat = await start()
    const restart = async () => void (restarts && (await chat.restartBot()))
    const [ann, bob, mia] = [chat.person('ann'), chat.person('bob'), chat.person('mia').in('managers')]
    const first = await request(chat, 'ann', 3)
    const second = await request(chat, 'bob', 4)
    const { replies: older } = await mia.clicks('Decline', first)
    const { replies: newer } = await mia.clicks('Decline', second)
    await restart()
    for (const question of [older[0]!, newer[0]!])
      for (const other of [ann, bob]) {
        const reply = () => other.in('managers').replies(question, `${other.username} has all the time`)
        expect(await ann.watches(reply)).not.toHaveReplied()
      }
    await restart()
    expect(await ann.watches(() => mia.replies(older[0]!, 'No, ann.'))).toHaveReplied('mia declined: No, ann.')
    expect(await bob.watches(() => mia.replies(newer[0]!, 'No, bob.'))).toHaveReplied('mia declined: No, bob.')
  })

test('a reply to the newest question answers it, and the older one ends at its time', async () => {
  await using chat = await start()
  const [ann, bob, mia] = [chat.person('ann'), chat.person('bob'), chat.person('mia').in('managers')]
  const first = await request(chat, 'ann', 3)
  const second = await request(chat, 'bob', 4)
  await mia.clicks('Decline', first)
  await chat.clock.advance({ minutes: 4 })
  const why = await mia.clicks('Decline', second)
  expect(await bob.watches(() => mia.replies(why.replies[0]!, 'no'))).toHaveReplied('mia declined: no')
  expect(await ann.watches(() => mia.says('and no'))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ minutes: 5 }))).not.toHaveReplied()
  const late = await ann.watches(() => chat.clock.advance({ minutes: 1 }))
  expect(late).toHaveReplied('mia declined: no reason given')
})

test('a request without a decision loses its buttons and shows that it has expired', async () => {
  await using chat = await start()
  const mia = chat.person('mia').in('managers')
  await request(chat, 'ann', 3)
  expect(await mia.watches(() => chat.clock.advance({ days: 3 }))).toHaveUpdated(
    'ann asks for 3 days off.\n**Expired**',
  )
  expect((await mia.sees()).at(-1)?.components).toEqual([])
})

test('a request as long as a message is cut to show its decision', async () => {
  await using chat = await start()
  const [ann, mia] = [chat.person('ann'), chat.person('mia').in('managers')]
  await ann.says('/order')
  await ann.says(`paper: ${'x'.repeat(1993)}`)
  const { updates, replies } = await mia.clicks('Decline')
  expect(updates[0]!.content).toMatch(/^paper: x+\n\*\*Decline\*\* \(<@.+>\)$/)
  expect(updates[0]!.content).toHaveLength(2000)
  expect(replies[0]!.content).toMatch(/> Why do you decline "paper: x{93}…"\?/)
  expect(await ann.watches(() => mia.says('no'))).toHaveReplied('no')
})
