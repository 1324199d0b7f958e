import { expect, test } from 'vitest'
import type { z } from 'zod'
import { explain } from '../explain.ts'
import { Callback, ChannelWebhookPost, MessageCreate, MessageEdit } from './messages.ts'
import { hasContent } from '../text/text.ts'

const faultOf = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value)
  return error ? explain(error) : undefined
}
const repeat = (count: number, part = 'x') => part.repeat(count)
const button = { type: 'button', style: 'primary', label: 'Yes', custom_id: 'yes' }
const link = { type: 'button', style: 'link', label: 'Site', url: 'https://a.example/' }
const row = (...components: object[]) => ({ type: 'row', components })
const withButton = (one: object) => faultOf(MessageCreate, { content: 'x', components: [row(one)] })
const numbered = (count: number) => Array.from({ length: count }, (_, i) => ({ ...button, custom_id: `b${i}` }))

test('content: accepts 2000 code points, whatever their size in bytes, and refuses 2001 [spec: 8/message_content]', () => {
  for (const schema of [MessageCreate, MessageEdit, ChannelWebhookPost]) {
    for (const part of ['x', 'é', '👍']) {
      expect(faultOf(schema, { content: repeat(1999, part) })).toBeUndefined()
      expect(faultOf(schema, { content: repeat(2000, part) })).toBeUndefined()
      expect(faultOf(schema, { content: repeat(2001, part) })).toBe('content: must be at most 2000 characters')
    }
  }
  expect(faultOf(Callback, { type: 'reply', content: repeat(2000) })).toBeUndefined()
  expect(faultOf(Callback, { type: 'reply', content: repeat(2001) })).toBe('content: must be at most 2000 characters')
})

test('a message requires content or embeds (§2)', () => {
  const needs = 'content: a message needs content or embeds'
  const components = [row(button)]
  for (const empty of [{}, { content: '' }, { content: ' \n' }, { embeds: [] }, { components }]) {
    expect(faultOf(MessageCreate, empty)).toBe(needs)
    expect(faultOf(ChannelWebhookPost, empty)).toBe(needs)
    expect(faultOf(Callback, { type: 'reply', ...empty })).toBe(needs)
  }
  expect(faultOf(MessageCreate, { embeds: [{ title: 'x' }] })).toBeUndefined()
  expect(hasContent({ content: null, embeds: null })).toBe(false)
})

test.each<[string, object, string]>([
  ['neither label nor emoji', { ...button, label: undefined }, ': a button requires a label or an emoji'],
  ['no custom_id', { ...button, custom_id: undefined }, '.custom_id: a button that is not a link requires a custom_id'],
  ['custom_id no string', { ...button, custom_id: 5 }, '.custom_id: must be a string, not a number'],
  [
    'a url in addition',
    { ...button, url: 'https://a.example' },
    '.url: a button that is not a link must not have a url',
  ],
  ['a link without url', { ...link, url: undefined }, '.url: a link button requires an https url'],
  ['a link over http', { ...link, url: 'http://a.example/' }, '.url: must be an https link'],
  ['a link with custom_id', { ...link, custom_id: 'x' }, '.custom_id: a link button must not have a custom_id'],
  ['an unknown style', { ...button, style: 'big' }, '.style: must be primary, secondary, success, danger or link'],
  ['no style', { ...button, style: undefined }, '.style: must be primary, secondary, success, danger or link'],
  ['another type', { ...button, type: 'menu' }, '.type: must be "button"'],
  ['words for an emoji', { ...button, emoji: 'up' }, '.emoji: must be one unicode emoji'],
  ['disabled no boolean', { ...button, disabled: 1 }, '.disabled: must be true or false, not a number'],
])('refuses a button with the reason: %s', (_, one, words) => {
  expect(withButton(one)).toBe(`components[0].components[0]${words}`)
})

test('accepts valid buttons', () => {
  for (const style of ['primary', 'secondary', 'success', 'danger'])
    expect(withButton({ ...button, style })).toBeUndefined()
  expect(withButton({ ...button, label: undefined, emoji: '👍' })).toBeUndefined()
  expect(withButton({ ...button, disabled: true })).toBeUndefined()
  expect(withButton(link)).toBeUndefined()
})

test('a label can have 80 characters, a custom_id 1 to 100 [spec: 8/button_label, 8/button_custom_id]', () => {
  for (const part of ['x', '👍']) {
    for (const count of [1, 79, 80]) expect(withButton({ ...button, label: repeat(count, part) })).toBeUndefined()
    for (const count of [1, 99, 100]) expect(withButton({ ...button, custom_id: repeat(count, part) })).toBeUndefined()
  }
  const at = 'components[0].components[0]'
  expect(withButton({ ...button, label: repeat(81) })).toBe(`${at}.label: must be at most 80 characters`)
  expect(withButton({ ...button, label: '' })).toBe(`${at}.label: must not be empty`)
  expect(withButton({ ...button, custom_id: repeat(101) })).toBe(`${at}.custom_id: must be at most 100 characters`)
  expect(withButton({ ...button, custom_id: '' })).toBe(`${at}.custom_id: must not be empty`)
})

test('accepts 5 rows of 5 buttons and refuses a sixth of either [spec: 8/button_rows]', () => {
  const fault = (components: unknown) => faultOf(MessageCreate, { content: 'x', components })
  const five = Array.from({ length: 5 }, (_, r) =>
    row(...numbered(5).map((b) => ({ ...b, custom_id: `${r}${b.custom_id}` }))),
  )
  expect(fault(five.slice(0, 4))).toBeUndefined()
  expect(fault(five)).toBeUndefined()
  expect(fault([...five, row({ ...button, custom_id: 'last' })])).toBe('components: a message can have at most 5 rows')
  expect(fault([row(...numbered(6))])).toBe('components[0].components: a row can have at most 5 buttons')
  expect(fault([row()])).toBe('components[0].components: a row requires at least one button')
})

test('a custom_id is unique within a message, across rows (§2); links have none', () => {
  const fault = (...rows: object[]) => faultOf(MessageCreate, { content: 'x', components: rows })
  expect(fault(row(button), row(button))).toBe(
    'components[1].components[0].custom_id: is used by two buttons of this message; a custom_id must be unique within one message',
  )
  expect(fault(row(link, link))).toBeUndefined()
})

test('an edit distinguishes omitted keys from null (§4)', () => {
  expect(MessageEdit.parse({})).toEqual({})
  expect(MessageEdit.parse({ embeds: null, components: null })).toEqual({ embeds: null, components: null })
  expect(Object.keys(MessageEdit.parse({ content: 'x' }))).toEqual(['content'])
  expect(MessageEdit.parse({ components: [] })).toEqual({ components: [] })
  expect(faultOf(MessageEdit, { content: null })).toBe('content: must be a string, not null')
})

test('the four answers to a click: which can have components, and which require content (row 43)', () => {
  const components = [row(button)]
  for (const type of ['reply', 'update']) expect(faultOf(Callback, { type, content: 'x', components })).toBeUndefined()
  for (const type of ['ephemeral', 'ack']) {
    const words = 'components: only reply and update can have components'
    expect(faultOf(Callback, { type, content: 'x', components })).toBe(words)
    expect(faultOf(Callback, { type, content: 'x', components: null })).toBe(words)
    expect(faultOf(Callback, { type, content: 'x' })).toBeUndefined()
  }
  expect(faultOf(Callback, { type: 'ephemeral' })).toBe('content: a message needs content or embeds')
  expect(faultOf(Callback, { type: 'ack' })).toBeUndefined()
  expect(faultOf(Callback, { type: 'update' })).toBeUndefined()
  expect(Callback.parse({ type: 'update', embeds: null })).toEqual({ type: 'update', embeds: null })
  expect(faultOf(Callback, { type: 'modal' })).toBe('type: must be reply, ack, ephemeral or update')
  expect(faultOf(Callback, {})).toBe('type: must be reply, ack, ephemeral or update')
  expect(faultOf(Callback, null)).toBe('must be an object, not null')
})

test('a channel webhook post can have its own name of up to 80 characters [spec: 8/channel_webhook_username]', () => {
  const fault = (username: unknown) => faultOf(ChannelWebhookPost, { content: 'x', username })
  for (const count of [1, 79, 80]) expect(fault(repeat(count))).toBeUndefined()
  expect(fault(repeat(81))).toBe('username: must be at most 80 characters')
  expect(fault('')).toBe('username: must not be empty')
  expect(fault(' ')).toBe('username: must not be empty')
  const allowed_mentions = { parse: ['users', 'all'] }
  expect(faultOf(ChannelWebhookPost, { content: 'x', allowed_mentions })).toBe(
    'allowed_mentions.parse[1]: must be one of "users", "roles", "everyone"',
  )
})
