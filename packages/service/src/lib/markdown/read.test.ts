import { expect, it } from 'vitest'
import { mentionsIn, pictureLinks, plainText } from './read.ts'

const id = '11111111-2222-3333-4444-555555555555'

it('shows pictures of links that end in one', () => {
  const text =
    'https://x.example/a.png <https://x.example/b.JPG?size=1> [c](https://x.example/c.gif) https://x.example/a.png'
  expect(pictureLinks(text)).toEqual([
    'https://x.example/a.png',
    'https://x.example/b.JPG?size=1',
    'https://x.example/c.gif',
  ])
})

it.each([
  'https://x.example/a.png/page',
  'https://x.example/a.png.html',
  'https://x.example/?file=a.png',
  '`https://x.example/a.png`',
  '```\nhttps://x.example/a.png\n```',
  'https\\://x.example/a.png',
])('shows no picture for %j', (text) => {
  expect(pictureLinks(text)).toEqual([])
})

it('finds mentions of users, roles and everyone in text only', () => {
  const { users, roles, everyone } = mentionsIn(`[<@${id}>](https://x.example) **<@&${id.toUpperCase()}>** _@here_`)
  expect([[...users], [...roles], everyone]).toEqual([[id], [id], true])
  const none = mentionsIn(`\`<@${id}> @here\` \\<@&${id}> &lt;@${id}> \\@everyone x@here.com @heresy &#64;here`)
  expect([none.users.size, none.roles.size, none.everyone]).toEqual([0, 0, false])
})

it('has a plain form without formatting', () => {
  expect(plainText(`**a** \`b\`\n> snake\\_case <@${id}>`, ({ sign }) => `${sign}ann`)).toBe('a b snake_case @ann')
})
