import { startTestBot, type TestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The conversations of six bots, with a crash before and after every step, and with a fault at every call: each ends as the undisturbed one.

const world = {
  people: [{ username: 'ann' }, { username: 'mia' }],
  servers: [
    {
      name: 'Office',
      owner: 'mia',
      members: ['ann'],
      roles: [{ name: 'Manager', members: ['mia'] }],
      channels: [{ name: 'general' }, { name: 'managers' }],
    },
  ],
}
const start = () => startTestBot(new URL('.', import.meta.url), { world })

type Play = (chat: TestBot) => Promise<void>
const plays: Record<string, Play> = {
  async quiz(chat) {
    const ann = chat.person('ann')
    await ann.says('/quiz')
    expect(await ann.says('medium')).toHaveReplied(/^The answer must be/)
    await ann.says('easy')
    await ann.clicks('Paris')
    expect(await ann.clicks('Milan')).toHaveReplied('easy: 1 of 2')
  },
  async leave(chat) {
    const ann = chat.person('ann')
    const mia = chat.person('mia').in('managers')
    await ann.says('/leave')
    await ann.says('3')
    await chat.clock.advance('2d')
    await ann.in('managers').clicks('Approve')
    await mia.clicks('Approve')
    expect(await ann.watches(() => chat.clock.advance('1d'))).toHaveReplied('Have a good holiday!')
    await ann.says('/leave')
    await ann.says('4')
    await mia.clicks('Decline')
    expect(await ann.watches(() => mia.says('no'))).toHaveReplied('mia declined: no')
  },
  async standup(chat) {
    const ann = chat.person('ann')
    await ann.says('/standup')
    await ann.dm().says('this')
    await ann.dm().says('that')
    await chat.clock.advance('1d')
    await ann.dm().says('more')
    expect(await ann.watches(() => chat.clock.advance('8h'))).toHaveReplied('The standup is over.')
  },
  async onboard(chat) {
    const ann = chat.person('ann')
    await ann.says('/onboard')
    await ann.says('Annie')
    await ann.clicks('Done')
    await chat.clock.advance('1d')
    await ann.clicks('Help')
    await chat.clock.advance('1d')
    await chat.clock.advance('20h')
    expect(await ann.watches(() => chat.clock.advance('1d'))).toHaveReplied('Welcome, Annie!')
  },
  async ticket(chat) {
    const ann = chat.person('ann')
    await ann.says('/ticket')
    await ann.says('the printer')
    await ann.says('it burns')
    await chat.clock.advance('5h')
    expect(await ann.says('close')).toHaveReplied('Closed.')
  },
  // The ids of people, and so the order of their states, differ in each play.
  async point(chat) {
    for (const name of ['ann', 'mia', 'ann', 'mia', 'ann']) await chat.person(name).says('/point')
    expect(await chat.person('mia').says('/point')).toHaveReplied('3')
  },
}

const all = { tags: 'all/crash-points' } as const
const playsOf = Object.entries(plays)
const isUsual = ([name]: [string, Play]) => name === 'quiz' || name === 'point'

test.each(playsOf)('%s: a crash before or after any step changes nothing', all, async (_name, play) => {
  await using chat = await start()
  const { steps, plays } = await chat.crashAfterEveryStep(play)
  expect(steps).toBeGreaterThan(10)
  // A write of the record has the result of one step and the next step.
  expect(plays).toBeGreaterThan(2 * steps)
})

test.each(playsOf)('%s: a fault of the service at any call changes nothing', all, async (_name, play) => {
  await using chat = await start()
  const { calls, plays } = await chat.failEveryCall(play)
  expect(calls).toBeGreaterThan(5)
  expect(plays).toBe(1 + 4 * calls)
})

const title = '%s: a sample of these crashes and faults changes nothing'
test.each(playsOf.filter(isUsual))(title, changesNothing)
test.each(playsOf.filter((one) => !isUsual(one)))(title, all, changesNothing)

async function changesNothing(_name: string, play: Play): Promise<void> {
  await using chat = await start()
  // One crash before a step, and one after a step.
  expect((await chat.crashAfterEveryStep(play, { sample: 2 })).plays).toBe(3)
  // One fault of each kind.
  expect((await chat.failEveryCall(play, { sample: 4 })).plays).toBe(5)
}

test('a sample has at least one play', async () => {
  await using chat = await start()
  await expect(chat.crashAfterEveryStep(plays['point']!, { sample: 0 })).rejects.toThrow('sample: must be at least 1')
})

test('the direct messages of people who join later are compared too', async () => {
  await using chat = await start()
  let plays = 0
  const play = async (one: TestBot) => {
    await one.person('ann').says('/point')
    await one.person('dora').dm().posts(`play ${plays++}`)
  }
  await expect(chat.crashAfterEveryStep(play)).rejects.toThrow(/direct messages of dora dora: play 1/)
})
