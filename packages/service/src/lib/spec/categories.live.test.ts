/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyId, expectOk, expectRefused, type Spec, startSpec, unknown, worldWithout } from './rig.test.fixture.ts'

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

const path = (id = '') => `${chat.server}/categories${id && `/${id}`}`
const list = async () => (await chat.bot('GET', `${chat.server}/channels`)).body.categories as { name: string }[]

describe('categories', () => {
  it('are created at the end [spec: 4/categories.create]', async () => {
    const { status, body } = await chat.helper('POST', path(), { name: 'Play' })
    expect([status, body]).toEqual([200, { category: { id: anyId, name: 'Play', position: 2 } }])
    expect(await list()).toEqual([
      { id: chat.category('Talk'), name: 'Talk', position: 0 },
      { id: chat.category('Work'), name: 'Work', position: 1 },
      body.category,
    ])
  })

  it('are renamed, also in their channels [spec: 4/categories.update]', async () => {
    expectOk(await chat.helper('PATCH', path(chat.category('Talk')), { name: 'Chatter' }))
    expect((await list()).map(({ name }) => name)).toEqual(['Chatter', 'Work'])
    expect((await chat.bot('GET', chat.channel('talk'))).body.channel.category.name).toBe('Chatter')
  })

  it('keep their channels when they are deleted [spec: 4/categories.delete]', async () => {
    expectOk(await chat.helper('DELETE', path(chat.category('Talk'))))
    expect((await list()).map(({ name }) => name)).toEqual(['Work'])
    expect((await chat.bot('GET', chat.channel('talk'))).body.channel).toMatchObject({
      category: null,
      category_id: null,
    })
    expect((await chat.bot('GET', chat.channel('work'))).body.channel.category.name).toBe('Work')
    expectRefused(await chat.helper('DELETE', path(chat.category('Talk'))), 404, 'category not found')
  })

  it('require a name [spec: 4/categories.create, 4/categories.update]', async () => {
    for (const body of [{}, { name: '' }, { name: '  ' }, { name: 5 }, { name: null }]) {
      expectRefused(await chat.helper('POST', path(), body), 400, 'name')
      expectRefused(await chat.helper('PATCH', path(chat.category('Talk')), body), 400, 'name')
    }
    expect((await list()).map(({ name }) => name)).toEqual(['Talk', 'Work'])
  })

  it('of another server are not found [spec: 4/categories.update, 4/categories.delete]', async () => {
    for (const id of [unknown, chat.annex.categories['Elsewhere']!]) {
      expectRefused(await chat.helper('PATCH', path(id), { name: 'x' }), 404, 'category not found')
      expectRefused(await chat.helper('DELETE', path(id)), 404, 'category not found')
    }
    expect((await chat.bot('GET', `${chat.annexServer}/channels`)).body.categories).toMatchObject([
      { name: 'Elsewhere' },
    ])
  })

  it('require manage_channels for all three calls [spec: decisions/38, 7/403]', async () => {
    await using other = await startSpec({ world: worldWithout('manage_channels') })
    for (const [each, call] of [
      [chat, chat.bot],
      [other, other.helper],
    ] as const) {
      const one = `${each.server}/categories/${each.category('Talk')}`
      expectRefused(await call('POST', `${each.server}/categories`, { name: 'x' }), 403, 'manage_channels')
      expectRefused(await call('PATCH', one, { name: 'x' }), 403, 'manage_channels')
      expectRefused(await call('DELETE', one), 403, 'manage_channels')
    }
    expect(await list()).toHaveLength(2)
  })
})
