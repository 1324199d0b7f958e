import { expect, test } from 'vitest'
import { rulesText } from './phrase.ts'

const role = 'only for people with the role Librarian'
const permission = 'only for people with the permission Manage messages'

test.each([
  [['only in servers'], ', ', 'only in servers'],
  [[], ', ', ''],
  [['only in servers', role], ', ', 'only in servers, for people with the role Librarian'],
  [[role, permission], ' or ', 'only for people with the role Librarian or the permission Manage messages'],
  [
    [role, 'only for the owner of this bot'],
    ' or ',
    'only for people with the role Librarian or the owner of this bot',
  ],
  [[role, role], ', ', role],
  [['only in servers', 'limited to one use per 10 s'], ', ', 'only in servers, limited to one use per 10 s'],
  [['only in servers and for members', role], ' or ', `only in servers and for members, or ${role.slice(5)}`],
] as const)('%j by "%s"', (rules, between, text) => {
  expect(rulesText(rules, between)).toBe(text)
})
