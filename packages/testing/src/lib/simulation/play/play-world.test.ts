import type { Definition } from '@botwright/framework'
import { openService } from '@botwright/service'
import { expect, test } from 'vitest'
import { placesIn, playWorld } from './play-world.ts'

const guarded = (...roles: string[]): Definition[] =>
  roles.map((role) => ({ guards: [{ text: 'guard.for_role', values: { role } }] }) as unknown as Definition)

const rolesOf = (...roles: string[]): string[] => {
  const service = openService({ world: playWorld(guarded(...roles), 'bot') })
  try {
    return Object.keys(service.world.servers['Workshop']!.roles)
  } finally {
    service.close()
  }
}

test('the world has each role that a guard names, once in whatever case', () => {
  const long = 'the people who look after the garden'
  expect(rolesOf()).toEqual(['mods', 'staff', 'guests', 'Robots'])
  expect(rolesOf('dj', long)).toEqual(['dj', long, 'mods', 'staff', 'guests', 'Robots'])
  expect(
    rolesOf('Mods', 'STAFF', 'Guests', 'robots')
      .map((name) => name.toLowerCase())
      .sort(),
  ).toEqual(['guests', 'mods', 'robots', 'staff'])
})

test('people write in the channels of their servers, whose names may have another case', () => {
  const servers = [
    { name: 'Shed', owner: 'Ann', members: ['BOB'], channels: [{ name: 'den', private: true }, { name: 'hall' }] },
  ]
  expect(placesIn({ people: [{ username: 'ann' }, { username: 'bob' }, { username: 'eve' }], servers })).toEqual([
    ['den', 'hall', 'dm'],
    ['hall', 'dm'],
    ['dm'],
  ])
})
