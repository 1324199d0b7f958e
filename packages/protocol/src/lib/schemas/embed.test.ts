import { expect, test } from 'vitest'
import type { z } from 'zod'
import { ChannelWebhookEmbed, Embed, embedCharacters, embedPictures } from './embed.ts'
import { explain } from '../explain.ts'
import { ChannelWebhookPost, MessageCreate } from './messages.ts'

const faultOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value)
  return error ? explain(error) : undefined
}
const repeat = (count: number, part = 'x') => part.repeat(count)
const fields = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value: 'v' }))

test('cuts long texts at code points [spec: 8/embed_title, 8/embed_description]', () => {
  for (const part of ['x', '👍']) {
    for (const count of [255, 256]) expect(Embed.parse({ title: repeat(count, part) }).title).toBe(repeat(count, part))
    expect(Embed.parse({ title: repeat(257, part) }).title).toBe(repeat(256, part))
    expect(Embed.parse({ description: repeat(4096, part) }).description).toBe(repeat(4096, part))
    expect(Embed.parse({ description: repeat(4097, part) }).description).toBe(repeat(4096, part))
  }
})

test('drops fields beyond the 10th, for a channel webhook beyond the 25th [spec: 8/embed_fields]', () => {
  for (const [schema, most] of [
    [Embed, 10],
    [ChannelWebhookEmbed, 25],
  ] as const) {
    expect(schema.parse({ fields: fields(most - 1) }).fields).toHaveLength(most - 1)
    expect(schema.parse({ fields: fields(most) }).fields).toHaveLength(most)
    expect(schema.parse({ fields: fields(most + 1) }).fields).toEqual(fields(most))
  }
})

test('accepts 5 embeds in a message and 10 in a channel webhook post, and refuses one more [spec: 8/embeds_per_message]', () => {
  const embeds = (count: number) => ({ embeds: Array.from({ length: count }, () => ({ title: 'x' })) })
  expect(faultOf(MessageCreate, embeds(5))).toBeUndefined()
  expect(faultOf(MessageCreate, embeds(6))).toBe('embeds: must be at most 5 embeds')
  expect(faultOf(ChannelWebhookPost, embeds(10))).toBeUndefined()
  expect(faultOf(ChannelWebhookPost, embeds(11))).toBe('embeds: must be at most 10 embeds')
})

test('accepts 6000 characters in all embeds together, counted after cutting (row 25) [spec: 8/embed_total]', () => {
  const total = (second: number) => ({ embeds: [{ description: repeat(9000) }, { description: repeat(second) }] })
  const words = 'embeds: must be at most 6000 characters in all embeds together'
  for (const schema of [MessageCreate, ChannelWebhookPost]) {
    // The first embed has 4096 characters after cutting.
    expect(faultOf(schema, total(1903))).toBeUndefined()
    expect(faultOf(schema, total(1904))).toBeUndefined()
    expect(faultOf(schema, total(1905))).toBe(words)
  }
  const everywhere = { title: 'a', description: 'b', author: { name: 'c' }, footer: { text: '👍' }, fields: fields(2) }
  expect(embedCharacters(everywhere)).toBe(4 + 6)
  expect(embedCharacters({})).toBe(0)
})

test.each(['#A0b1C2', '#000000', 0, 16_777_215])('%j is a color', (color) => {
  expect(Embed.parse({ color })).toEqual({ color })
})

test.each(['red', '#fff', '#0000000', 'a0b1c2', '', -1, 16_777_216, 1.5, true, null])('%j is not a color', (color) => {
  expect(faultOf(Embed, { color })).toBe('color: must be "#rrggbb" or an integer from 0 to 16777215')
})

test('ignores unknown keys, and refuses invalid values of known ones with their path (§2)', () => {
  expect(Embed.parse({ title: 'x', sparkle: true })).toEqual({ title: 'x' })
  const fault = (embed: unknown) => faultOf(MessageCreate, { embeds: [{ title: 'x' }, embed] })
  expect(fault({ url: 'nowhere' })).toBe('embeds[1].url: must be an http or https link')
  expect(fault({ thumbnail: {} })).toBe('embeds[1].thumbnail.url: is required (string)')
  expect(fault({ timestamp: 'noon' })).toBe('embeds[1].timestamp: must be an ISO 8601 time')
  const field = (value: unknown) => fault({ fields: [{ name: 'n', value }] })
  expect(field(true)).toBe('embeds[1].fields[0].value: must be a string or a number')
  expect(field({})).toBe('embeds[1].fields[0].value: must be a string or a number')
  expect(field(undefined)).toBe('embeds[1].fields[0].value: is required (string)')
  expect(field(NaN)).toBe('embeds[1].fields[0].value: must be a string or a number')
  expect(fault('x')).toBe('embeds[1]: must be an object, not a string')
})

test('converts numbers in embed fields to text, and counts them as text', () => {
  for (const schema of [Embed, ChannelWebhookEmbed]) {
    expect(
      schema.parse({
        fields: [
          { name: 1, value: 30.5 },
          { name: 'pid', value: -7 },
        ],
      }),
    ).toEqual({
      fields: [
        { name: '1', value: '30.5' },
        { name: 'pid', value: '-7' },
      ],
    })
  }
  const embeds = [{ description: repeat(4096) }, { description: repeat(1902), fields: [{ name: 1, value: 1 }] }]
  expect(faultOf(MessageCreate, { embeds })).toBeUndefined()
  const longer = [embeds[0], { ...embeds[1], fields: [{ name: 1, value: 12 }] }]
  expect(faultOf(MessageCreate, { embeds: longer })).toBe(
    'embeds: must be at most 6000 characters in all embeds together',
  )
})

test('lists every picture of an embed with its field, so that its host can be checked', () => {
  const url = 'https://cdn.example.com/a.png'
  const pictures = embedPictures({
    author: { name: 'a', icon_url: url },
    thumbnail: { url },
    image: { url },
    footer: { text: 'f', icon_url: url },
  })
  expect(pictures.map(({ field }) => field)).toEqual([
    'author.icon_url',
    'thumbnail.url',
    'image.url',
    'footer.icon_url',
  ])
  expect(embedPictures({ url })).toEqual([])
})
