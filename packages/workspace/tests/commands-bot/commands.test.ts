import { startTestBot } from '@botwright/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The bot of packages/framework/docs/arguments.md and commands.md.

let chat: Awaited<ReturnType<typeof startTestBot>>
let says: (text: string) => Promise<string>
beforeAll(async () => {
  chat = await startTestBot(new URL('.', import.meta.url))
  const ann = chat.person('ann')
  // Bob joins with his first action.
  await chat.person('ben').sees()
  says = async (text) => (await ann.says(text)).content
})
afterAll(() => chat[Symbol.asyncDispose]())

test('reads dates, durations, names and flags as people type them', async () => {
  expect(await says('/remind 2040-07-01 18:00 buy milk --to ben --every=1w —loud')).toMatch(
    /^\*\*buy milk\*\* for <@[0-9a-f-]{36}> at 2040-07-01T16:00:00\.000Z, every 604800000$/,
  )
  expect(await says('!r 2040-01-01 tea')).toMatch(/^tea for <@.*> at 2039-12-31T23:00:00\.000Z, every never$/)
})

test('checks an argument against the state, and a usage error does not start a cooldown', async () => {
  expect(await says('/borrow Ulysses')).toBe(
    'title is not in the library; see /help borrow\nUsage: /borrow <title...>\nExample: /borrow some more words',
  )
  expect(await says('/borrow Emma')).toBe('ann has Emma')
  expect(await says('/borrow Dune')).toBe('Wait 1 min, then try again.')
})

test('answers a usage error with the expected value, the usage and an example', async () => {
  expect(await says('/remind soon tea')).toBe(
    [
      'when must be a date or time in the future, such as 2026-03-01 18:00, tomorrow 18:00 or in 2h',
      'Usage: /remind <when> <what...> [--to <person>] [--every <duration>] [--loud]',
      'Example: /remind tomorrow 18:00 buy milk',
    ].join('\n'),
  )
  expect(await says('/role add speaker #general ann nobody')).toContain(
    'people (item 2) must be a person; no member of this server has that name',
  )
  expect(await says('/role add speaker genral ann')).toContain(
    'where must be a channel; no channel of this server has that name; did you mean #general?',
  )
})

test('looks up names of people and channels in the server', async () => {
  expect(await says('/role plus helper #general @ann "ben"')).toMatch(
    /^helper in <#[0-9a-f-]{36}>: <@[0-9a-f-]{36}> <@[0-9a-f-]{36}>$/,
  )
})

test('reads a custom argument, and an argument with a schema', async () => {
  expect(await says('/paint #0000ff 5 --mail=ann@example.com')).toBe('{"color":255,"size":5,"mail":"ann@example.com"}')
  expect(await says('/paint blue')).toBe(
    'color must be a color such as #ff0000\nUsage: /paint [color=#ff0000] [size=3] [--mail <mail>]\nExample: /paint #00ff00',
  )
  expect(await says('/paint --mail=ann')).toContain('mail must be a mail address')
})

test('/help lists all commands except hidden ones, and shows one command in detail', async () => {
  expect(await says('/help')).toBe(
    [
      '`/borrow` Borrows a book',
      '`/remind` Sets a reminder',
      '`/role` add, remove',
      '**Fun**',
      '`/paint` Paints a square',
      '`/help NAME` shows more about one command.',
    ].join('\n'),
  )
  expect(await says('/help r')).toBe(
    [
      '`/remind <when> <what...> [--to <person>] [--every <duration>] [--loud]`',
      'Sets a reminder',
      '`when` When to remind: a date or time in the future',
      '`what` What to remind you of: text of at most 200 characters',
      '`--to` Who to remind; you by default: a person: mention one, or type a name',
      '`--every` a duration of at least 1 min',
      '`--loud` a switch',
      'Example: `/remind tomorrow 18:00 buy milk`',
      'Example: `/remind in 2h --to=@ben call me back`',
      'Also: `/r`',
    ].join('\n'),
  )
  expect(await says('/debug')).toBe('nothing to see')
})

test('suggests a subcommand for an unknown one', async () => {
  expect(await says('/role ad helper')).toBe(
    'there is no such subcommand; did you mean /role add?\nUsage: /role add, /role remove',
  )
  expect(await says('!role')).toBe('!role needs a subcommand\nUsage: !role add, !role remove')
  expect(await says('/help rol')).toBe(
    'There is no such command; did you mean `/help role`?\n`/help` lists all commands.',
  )
})
