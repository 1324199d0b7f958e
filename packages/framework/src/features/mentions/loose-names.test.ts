import { expect, test } from 'vitest'
import type { ArgPlace } from '../../author/args/arg.ts'
import { channel, user } from './mentions.ts'

// Members and channels of which only the id is certain (decisions rows 7 and 11).

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

const place = (members: object[], channels: object[] = []) =>
  ({
    server_id: id(1),
    api: {
      members: { list: async () => ({ members }) },
      channels: { listOfServer: async () => ({ channels, categories: [] }) },
    },
  }) as unknown as ArgPlace

test('a member without a username is found by a nickname, and hides no other', async () => {
  const members = [{ id: id(2), username: null, nickname: 'Ann' }, { user: { id: id(3), username: 'bob' } }]
  expect(await user().read(['ann'], place(members))).toBe(id(2))
  expect(await user().read(['@bob'], place(members))).toBe(id(3))
  await expect(user().read(['bop'], place(members))).rejects.toThrow('did you mean @bob?')
})

test('a channel without a name hides no other', async () => {
  const channels = [{ id: id(2) }, { id: id(3), name: 'news' }]
  expect(await channel().read(['news'], place([], channels))).toBe(id(3))
  await expect(channel().read(['newz'], place([], channels))).rejects.toThrow('did you mean #news?')
})
