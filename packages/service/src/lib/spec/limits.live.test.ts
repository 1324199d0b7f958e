/* oxlint-disable typescript/no-unsafe-member-access -- answers are read as loosely as they arrive */
import { limits } from '@botwright/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectRefused, expectSlowDown, type Spec, startSpec, x } from './rig.test.fixture.ts'

/** The first test of the file, and those that take less time, stand for the others. */
const slow = { tags: 'all/live' } as const

let chat: Spec
beforeEach(async () => void (chat = await startSpec()))
afterEach(() => chat.close())

describe('messages a minute', () => {
  const { requests, seconds } = limits.messages

  it('allows 30 in any 60 seconds per bot, across channels [spec: 8/messages, 7/429, decisions/40]', async () => {
    const annex = (content: string) => chat.bot('POST', `${chat.annexChannel}/messages`, { content })
    for (let i = 0; i < 10; i++) expect((await chat.send({ content: `${i}` })).status).toBe(200)
    await chat.clock.advance(20_000)
    for (let i = 10; i < requests - 1; i++) expect((await annex(`${i}`)).status).toBe(200)
    expect((await chat.send({ content: 'the last one' }, 'random')).status).toBe(200)
    expectSlowDown(await chat.send({ content: 'one more' }), seconds - 20)
    expectSlowDown(await annex('one more'), seconds - 20)
    expect((await chat.helper('POST', chat.messages(), { content: 'of another' })).status).toBe(200)
    expect((await chat.bot('GET', chat.messages())).status).toBe(200)
    expect((await chat.bot('GET', chat.messages())).body.messages).toHaveLength(11)
    await chat.clock.advance(39_999)
    expectSlowDown(await chat.send({ content: 'one more' }), 1)
    await chat.clock.advance(1)
    // Only the first ten have left the window.
    for (let i = 0; i < 10; i++) expect((await chat.send({ content: `again ${i}` })).status).toBe(200)
    expectSlowDown(await chat.send({ content: 'one more' }), 20)
  })

  it('does not count refused messages [spec: 8/messages]', slow, async () => {
    for (let i = 0; i < requests + 5; i++) expect((await chat.send({ content: '' })).status).toBe(400)
    for (let i = 0; i < 5; i++) expect((await chat.send({ content: 'x' }, 'news')).status).toBe(403)
    for (let i = 0; i < requests; i++) expect((await chat.send({ content: `${i}` })).status).toBe(200)
  })
})

describe('embeds', () => {
  let nonce = 0
  // Unique texts: equal texts after the cut would be refused as duplicates.
  const first = async (embed: object) =>
    (await chat.send({ content: `${nonce++}`, embeds: [embed] })).body.embeds[0] as Record<string, unknown>

  it('allows 5 per message [spec: 8/embeds_per_message, decisions/25]', async () => {
    const max = limits.embeds_per_message.bot
    const embeds = (count: number) => Array.from({ length: count }, (_, i) => ({ title: `${count} ${i}` }))
    for (const count of [max - 1, max])
      expect((await chat.send({ embeds: embeds(count) })).body.embeds).toEqual(embeds(count))
    expectRefused(await chat.send({ embeds: embeds(max + 1) }), 400, `embeds: must be at most ${max} embeds`)
    const { id } = (await chat.send({ content: 'x' })).body
    expectRefused(await chat.bot('PATCH', `${chat.messages()}/${id}`, { embeds: embeds(max + 1) }), 400, 'embeds')
  })

  it.each([
    ['title', limits.embed_title.characters],
    ['description', limits.embed_description.characters],
  ])(
    'cuts a %s to %d characters, between code points [spec: 8/embed_title, 8/embed_description, decisions/25, decisions/45]',
    async (key, max) => {
      for (const count of [max - 1, max]) expect((await first({ [key]: x(count) }))[key]).toBe(x(count))
      expect((await first({ [key]: x(max + 1) }))[key]).toBe(x(max))
      expect((await first({ [key]: '🙂'.repeat(max + 1) }))[key]).toBe('🙂'.repeat(max))
    },
  )

  it('drops fields beyond the 10th [spec: 8/embed_fields, decisions/25]', async () => {
    const max = limits.embed_fields.bot
    const fields = Array.from({ length: max + 1 }, (_, i) => ({ name: `n${i}`, value: `v${i}`, inline: i % 2 === 0 }))
    for (const count of [max - 1, max]) {
      expect((await first({ title: `${count}`, fields: fields.slice(0, count) }))['fields']).toEqual(
        fields.slice(0, count),
      )
    }
    expect((await first({ fields }))['fields']).toEqual(fields.slice(0, max))
  })

  it('allows 6000 characters in total, counted after cutting [spec: 8/embed_total, decisions/25]', async () => {
    const max = limits.embed_total.characters
    const { characters } = limits.embed_description
    const embeds = (count: number) => [{ description: x(characters) }, { description: x(count - characters) }]
    for (const count of [max - 1, max]) expect((await chat.send({ embeds: embeds(count) })).status).toBe(200)
    expectRefused(await chat.send({ embeds: embeds(max + 1) }), 400, `at most ${max} characters in all embeds`)
    const cut = [{ description: x(characters + 5000) }, { title: x(limits.embed_title.characters + 5000) }]
    expect((await chat.send({ embeds: cut })).status).toBe(200)
    const everywhere = {
      title: x(200),
      author: { name: x(1000) },
      footer: { text: x(1000) },
      fields: [{ name: x(1000), value: x(max - 3200) }],
    }
    expect((await chat.send({ embeds: [everywhere] })).status).toBe(200)
    expectRefused(await chat.send({ embeds: [everywhere, { title: 'x' }] }), 400, 'characters in all embeds')
  })
})

describe('buttons', () => {
  let count = 0
  const button = (more: object = {}) => ({
    type: 'button',
    style: 'primary',
    label: 'x',
    custom_id: `id-${count++}`,
    ...more,
  })
  const rows = (n: number, each = 1) =>
    Array.from({ length: n }, () => ({ type: 'row', components: Array.from({ length: each }, () => button()) }))
  const post = (components: unknown) => chat.send({ content: `buttons ${count}`, components })

  it('allows 5 rows of 5 buttons [spec: 8/button_rows]', async () => {
    const { rows: maxRows, buttons } = limits.button_rows
    for (const [n, each] of [
      [maxRows - 1, buttons],
      [maxRows, buttons - 1],
      [maxRows, buttons],
    ] as const) {
      const components = rows(n, each)
      expect((await post(components)).body.components).toEqual(components)
    }
    expectRefused(await post(rows(maxRows + 1)), 400, 'components: a message can have at most 5 rows')
    expectRefused(await post(rows(1, buttons + 1)), 400, 'components[0].components: a row can have at most 5 buttons')
    expectRefused(await post(rows(1, 0)), 400, 'components[0].components')
  })

  it.each([
    ['label', limits.button_label.characters, 1],
    ['custom_id', limits.button_custom_id.characters, limits.button_custom_id.min],
  ])(
    'a %s can have up to %d characters and at least %d [spec: 8/button_label, 8/button_custom_id, decisions/45]',
    async (key, max, min) => {
      const one = (value: string) => post([{ type: 'row', components: [button({ [key]: value })] }])
      for (const value of [x(min), x(max - 1), x(max), '🙂'.repeat(max)]) {
        expect((await one(value)).body.components[0].components[0][key]).toBe(value)
      }
      for (const value of [x(min - 1), x(max + 1), '🙂'.repeat(max + 1)]) {
        expectRefused(await one(value), 400, `components[0].components[0].${key}`)
      }
    },
  )

  it('follow the rules of §2, and the error names the violated one [spec: 7/400]', async () => {
    const url = 'https://example.com'
    const cases: [object, RegExp][] = [
      [{ type: 'button', style: 'primary', custom_id: 'a' }, /label or an emoji/],
      [{ type: 'button', style: 'danger', label: 'x' }, /custom_id: .*requires a custom_id/],
      [{ type: 'button', style: 'primary', label: 'x', custom_id: 'a', url }, /url: .*must not have a url/],
      [{ type: 'button', style: 'link', label: 'x' }, /url: .*requires an https url/],
      [{ type: 'button', style: 'link', label: 'x', url: 'http://example.com' }, /url: must be an https link/],
      [{ type: 'button', style: 'link', label: 'x', url, custom_id: 'a' }, /custom_id: .*must not have a custom_id/],
      [{ type: 'button', style: 'green', label: 'x', custom_id: 'a' }, /style: must be primary/],
      [{ type: 'menu', style: 'primary', label: 'x', custom_id: 'a' }, /type/],
      [{ type: 'button', style: 'primary', emoji: 'x', custom_id: 'a' }, /emoji: must be one unicode emoji/],
      [{ type: 'button', style: 'primary', label: 'x', custom_id: 'a', disabled: 'no' }, /disabled/],
    ]
    for (const [bad, text] of cases) {
      const answer = await post([{ type: 'row', components: [button(), bad] }])
      expectRefused(answer, 400, text)
      expect(answer.body.error).toContain('components[0].components[1]')
    }
    const twice = [
      { type: 'row', components: [button({ custom_id: 'a' })] },
      { type: 'row', components: [button({ custom_id: 'a' })] },
    ]
    expectRefused(await post(twice), 400, 'components[1].components[0].custom_id: is used by two buttons')
    expect((await chat.bot('GET', chat.messages())).body.messages).toEqual([])
  })
})
