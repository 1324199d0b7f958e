import { expect, test } from 'vitest'
import type { z } from 'zod'
import reactionRoles from './plugin.ts'

const roles = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String.fromCodePoint(0x1f400 + i), name]))

/** The problems of a message in the options. */
function problems(message: Parameters<typeof reactionRoles>[0]['messages'][string]): string[] {
  const { plugin, options } = reactionRoles({ messages: { rules: message } })
  const found = (plugin.options as z.ZodType).safeParse(options)
  return (found.error?.issues ?? []).map((issue) => JSON.stringify(issue))
}

test.each(['✅', '❤', '❤️', '👍🏽', '🇩🇪', '#️⃣', '👩‍🚀'])('accepts %s', (emoji) => {
  expect(problems({ text: 'a', roles: { [emoji]: 'member' } })).toEqual([])
})

test.each(['red', '1', ':tada:', ' '])('rejects "%s", with which the bot cannot react', (name) => {
  expect(problems({ text: 'a', roles: { [name]: 'member' } }).join()).toContain('must be an emoji')
})

test('rejects a message that is too long with its list', () => {
  const long = { text: 'a'.repeat(1000), roles: roles(20, 'r'.repeat(60)) }
  expect(problems(long).join()).toContain('must have at most 2000 characters with its list of roles')
  expect(problems({ ...long, list: false })).toEqual([])
})
