import { expect, test } from 'vitest'
import { guard } from '../../author/guards/guard.ts'
import { allOf, anyOf } from '../guards/combine.ts'
import { hasPermission, hasRole } from './role-guards.ts'

test('invalid guards of a bot in JavaScript are rejected where they are defined', () => {
  const of = (given: object) => () => guard({ describe: 'x', check: () => true, refusal: 'x', ...given })
  expect(of({})).not.toThrow()
  expect(of({ describe: undefined })).toThrow(
    "guard: describe must be a string, such as 'only for people who have voted'",
  )
  expect(of({ check: true })).toThrow('guard: check must be a function that returns true or false')
  expect(of({ refusal: undefined })).toThrow("guard: refusal must be a string; '' refuses silently")
  expect(() => hasPermission('Manage mesages' as never)).toThrow(
    'hasPermission: there is no permission "Manage mesages"; did you mean "manage_messages"?',
  )
  // Another service may have other permissions.
  expect(() => hasPermission('Fly kites' as never)).not.toThrow()
})

test('an empty list of guards, and a role without a name, are rejected where they are defined', () => {
  for (const of of [allOf, anyOf]) {
    expect(() => of([])).toThrow(`${of.name}: guards must have at least one guard`)
    expect(() => of([hasRole('Mods'), undefined as never])).toThrow(`${of.name}: guards[1] must be created with guard`)
    expect(() => of(hasRole('Mods') as never)).toThrow(`${of.name}: guards must be a list`)
  }
  for (const role of ['', ' ', '\u200b', undefined, null, []])
    expect(() => hasRole(role as never)).toThrow(
      "hasRole: the role must be its id or name, such as hasRole('Mods'), not ",
    )
})
