import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Spec, startSpec } from '../spec/rig.test.fixture.ts'

let chat: Spec
beforeAll(async () => void (chat = await startSpec()))
afterAll(() => chat.close())

const found = async (text: string, by = 'ann') => {
  const answer = await chat.person(by, 'GET', `/messages?text=${encodeURIComponent(text)}`)
  expect(answer.status).toBe(200)
  const { messages } = answer.body as { messages: { content: string }[] }
  return messages.map(({ content }) => content)
}
const post = async (content: string, more: object = {}) => {
  const answer = await chat.helper('POST', `${chat.channel('general')}/messages`, { content, ...more })
  expect(answer.status).toBe(200)
}

it.each([
  ['snake\\_case', ['snake_case', 'snake\\_case']],
  ['a **bold** \\<b> &amp; &#64;x', ['a bold <b> & @x', 'BOLD']],
  ['two  spaces', ['two spaces', 'two  spaces']],
  ['don’t', ["don't", 'don’t', 'DON‘T']],
  ["it's", ['it’s']],
  ['caf\u00e9 zwei', ['cafe\u0301 ZWEI']],
  ['nai\u0308ve', ['na\u00efve']],
  ['I \u2764\ufe0f it', ['\u2764 it']],
  ['[masked](https://x.example/path)', ['masked', 'x.example/path']],
  ['one\ntwo lines', ['one two']],
])('finds %j as it is shown or written', async (content, texts) => {
  await post(content)
  for (const text of texts) expect([text, await found(text)]).toEqual([text, [content]])
})

it('finds mentions by the names that are shown, and by usernames', async () => {
  const content = `ask **<@${chat.userId('carol')}>** in <#${chat.channel('general').slice('/channels/'.length)}>`
  await post(content)
  expect(await found('ask @carol in #general')).toEqual([content])
  const member = `${chat.server}/members/${chat.userId('carol')}`
  expect((await chat.helper('PATCH', member, { nickname: 'Queen C' })).status).toBe(200)
  expect([await found('@queen c in'), await found('ask @carol')]).toEqual([[content], [content]])
  // In code it is shown as it is.
  const code = `\`<@${chat.userId('carol')}> carolled\``
  await post(code)
  expect([await found('@queen c carolled'), await found('> carolled')]).toEqual([[], [code]])
})

it('finds the texts of embeds, titles and names included', async () => {
  await post('card', {
    embeds: [
      { title: 'A *new* release', author: { name: 'the_author' }, fields: [{ name: '**f**ield', value: '~~v~~alue' }] },
    ],
  })
  for (const text of ['a new release', 'the_author', 'field', 'value']) expect(await found(text)).toEqual(['card'])
})

it('does not reveal the names of channels that the person cannot see', async () => {
  await post(`see <#${chat.channel('staff').slice('/channels/'.length)}> there`)
  expect(await found('see #staff there', 'carol')).toEqual([])
  expect(await found('see #unknown there', 'carol')).toHaveLength(1)
})

it('finds all messages of an author, and a name whose first letters are typed', async () => {
  await post('Ασημίνα')
  expect(await found('Ασ')).toEqual(['Ασημίνα'])
  expect((await chat.person('bob', 'POST', `${chat.channel('random')}/messages`, { content: 'by bob' })).status).toBe(
    200,
  )
  const answer = await chat.person('ann', 'GET', `/messages?author_id=${chat.userId('bob')}`)
  expect([answer.status, answer.body]).toMatchObject([200, { messages: [{ content: 'by bob' }], next: null }])
})
