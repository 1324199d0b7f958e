import { readFileSync } from 'node:fs'
import type { World } from '@botwright/service'
import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

const world = JSON.parse(readFileSync(new URL('../world.json', import.meta.url), 'utf8')) as World
const start = () => startTestBot(new URL('..', import.meta.url), { world })

test('continues after a restart at every moment of the conversation', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const mia = chat.person('mia').in('managers')
  expect(await ann.says('/leave')).toHaveReplied('How many days?')
  await chat.restartBot()
  expect(await ann.says('many')).toHaveReplied(/^The answer must be a whole number/)
  await chat.restartBot()
  const asked = await mia.watches(() => ann.says('5'))
  expect(asked).toHaveReplied('ann asks for 5 days off.')
  await chat.restartBot({ after: '2d' })
  expect(await ann.in('managers').clicks('Approve')).toBeEphemeral()
  const approved = await ann.watches(() => mia.clicks('Approve'))
  expect(approved).toHaveReplied('mia approved your 5 days off.')
  await chat.restartBot()
  expect(await ann.watches(() => chat.clock.advance({ hours: 23 }))).not.toHaveReplied()
  expect(await ann.watches(() => chat.clock.advance({ hours: 1 }))).toHaveReplied('Have a good holiday!')
})

test('a manager declines with a reason', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/leave')
  await ann.says('3')
  await chat.clock.advance({ hours: 40 })
  const mia = chat.person('mia').in('managers')
  expect(await mia.clicks('Decline')).toHaveReplied(/Why do you decline "ann asks for 3 days off\."\?/)
  await chat.restartBot()
  const declined = await ann.watches(() => mia.says('We are three already.'))
  expect(declined).toHaveReplied('mia declined your 3 days off: We are three already.')
})

test('a decision needs no reason', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const mia = chat.person('mia').in('managers')
  const ask = async () => {
    await ann.says('/leave')
    await ann.says('3')
    await mia.clicks('Decline')
  }
  await ask()
  expect(await ann.watches(() => mia.says('cancel'))).toHaveReplied('mia declined your 3 days off: no reason given')
  await ask()
  const late = await ann.watches(() => chat.clock.advance({ minutes: 10 }))
  expect(late).toHaveReplied('mia declined your 3 days off: no reason given')
})

test('a request to a channel that does not exist is an error with the file', async () => {
  await using chat = await startTestBot(new URL('..', import.meta.url))
  const ann = chat.person('ann')
  await ann.says('/leave')
  await expect(ann.says('3')).rejects.toThrow(
    'ctx.approve: in: "#managers" must be a channel; no channel of this server has that name',
  )
})

test('notifies the person if no manager decides within three days', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  await ann.says('/leave')
  await ann.says('3')
  await chat.restartBot({ after: '1d' })
  const late = await ann.watches(() => chat.clock.advance({ days: 2 }))
  expect(late).toHaveReplied(/^No answer came within 3 days/)
})
