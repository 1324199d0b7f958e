import { startTestBot } from '@botwright/testing'
import '@botwright/testing/matchers'
import { expect, test } from 'vitest'

// The bot of "Pages" in packages/framework/docs/buttons.md.

const start = () => startTestBot(new URL('.', import.meta.url))

test('the asker turns the pages, also after a restart', async () => {
  await using chat = await start()
  const [ann, bob] = [chat.person('ann'), chat.person('bob')]
  const asked = await ann.says('/scores spring')
  expect(asked).toHaveEmbed({ title: 'Scores of spring', description: /^1\. player 1\n[^]*\n10\. player 10$/ })
  expect(asked).toHaveButton({ label: '◀', disabled: true })
  expect(asked).toHaveButton({ label: '1/7', disabled: true })
  await chat.restartBot()
  expect((await ann.clicks('▶', asked)).updates[0]?.embeds).toMatchObject([
    { description: expect.stringMatching(/^11\. player 11\n/) as string },
  ])
  const refused = await bob.clicks('▶', asked)
  expect(refused).toHaveReplied('These buttons are not for you.')
  expect(refused).toBeEphemeral()
  await ann.clicks('▶', asked)
  await ann.clicks('▶', asked)
  await ann.clicks('◀', asked)
  await chat.clock.advance({ seconds: 10 })
  for (const _ of [4, 5, 6]) await ann.clicks('▶', asked)
  const last = await ann.clicks('▶', asked)
  expect(last.updates[0]?.embeds).toMatchObject([{ description: '61. player 61' }])
  expect(last.updates[0]?.components?.[0]?.components).toMatchObject([
    { label: '◀' },
    { label: '7/7', disabled: true },
    { label: '▶', disabled: true },
  ])
})

test('an empty list has a text, and a single page no buttons', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const none = await ann.says('/scores winter')
  expect(none).toHaveEmbed({ title: 'Scores of winter', description: 'Nothing here yet.' })
  expect(none.components).toEqual([])
  expect(await ann.says('/queue 0')).toHaveEmbed({ description: 'The queue is empty.' })
  expect((await ann.says('/queue 3')).components).toEqual([])
})

test('anyone turns the pages of a list for all', async () => {
  await using chat = await start()
  const asked = await chat.person('ann').says('/queue 9')
  const [bob, carl] = [chat.person('bob'), chat.person('carl')]
  expect((await bob.clicks('▶', asked)).updates[0]?.embeds).toMatchObject([{ description: '4\n5\n6' }])
  expect((await carl.clicks('▶', asked)).updates[0]?.embeds).toMatchObject([{ description: '7\n8\n9' }])
  await Promise.all([bob.clicks('◀', asked), carl.clicks('◀', asked)])
  // The second click came before or after the answer to the first.
  const shown = (await bob.sees()).find(({ id }) => id === asked.id)!
  const label = shown.components?.[0]?.components[1]?.label
  expect([shown.embeds?.[0]?.description, label]).toEqual(label === '1/3' ? ['1\n2\n3', '1/3'] : ['4\n5\n6', '2/3'])
})

test('shows the last page of a list that has become shorter', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const asked = await ann.says('/queue 9')
  await ann.clicks('▶', asked)
  await ann.says('/queue 5')
  const turned = await ann.clicks('▶', asked)
  expect(turned.updates[0]).toMatchObject({ embeds: [{ description: '4\n5' }] })
  expect(turned.updates[0]?.components?.[0]?.components[1]).toMatchObject({ label: '2/2' })
  await ann.says('/queue 2')
  const single = await ann.clicks('◀', asked)
  expect(single.updates[0]).toMatchObject({ embeds: [{ description: '1\n2' }], components: [] })
})

test('a message that is deleted meanwhile ends quietly', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const asked = await ann.says('/queue 12')
  await ann.clicks('▶', asked)
  await ann.clicks('▶', asked)
  const turned = await ann.clicks('▶', asked)
  expect(turned.replies).toEqual([])
  expect(chat.log.filter(({ level }) => level === 'error')).toEqual([])
})

test('shortens long lines to what an embed can show', async () => {
  await using chat = await start()
  const { embeds } = await chat.person('ann').says('/queue 3 3000')
  const lines = embeds[0]!.description!.split('\n')
  expect(lines.map((line) => line.length)).toEqual([1364, 1364, 1364])
  expect(lines.every((line) => line.endsWith('x…'))).toBe(true)
})

test('a button replies with the first page, and pages can be messages', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  const asked = await ann.says('/cards')
  const bob = chat.person('bob')
  const shown = await bob.clicks('Show', asked)
  expect(shown).toHaveReplied('The red deck')
  const turned = await bob.clicks('▶', shown)
  expect(turned.updates[0]).toMatchObject({ content: '', embeds: [{ title: 'king' }] })
  const back = await bob.clicks('◀', shown)
  expect(back.updates[0]).toMatchObject({ content: 'The red deck', embeds: [] })
})

test('guards apply to the first page and to each other one', async () => {
  await using chat = await start()
  const ann = chat.person('ann')
  expect(await ann.dm().says('/staff')).toHaveReplied('This works in servers only.')
  const asked = await ann.says('/staff')
  expect(asked).toHaveEmbed({ description: 'line 1' })
  expect((await ann.clicks('▶', asked)).updates[0]?.embeds).toMatchObject([{ description: 'line 2' }])
  expect((await ann.clicks('▶', asked)).updates[0]?.embeds).toMatchObject([{ description: 'line 3' }])
  // A cooldown counts clicks, not the first page.
  expect(await ann.clicks('◀', asked)).toHaveReplied(/^Wait .* then try again\.$/)
  expect(await ann.says('/staff')).toHaveEmbed({ description: 'line 1' })
})
