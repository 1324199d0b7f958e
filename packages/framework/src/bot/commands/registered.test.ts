import { expect, test } from 'vitest'
import type { Definition } from '../../author/files/entries.ts'
import { commandsWarning, commandCountWarning, registeredCommands } from './registered.ts'

const command = (name: string, more: Partial<Definition> = {}): Definition => ({
  kind: 'command',
  name,
  file: `commands/${name.replaceAll(' ', '/')}.ts`,
  description: `Does ${name}`,
  ...more,
})
const register = (...definitions: Definition[]) => registeredCommands(definitions, { help: false })
const many = (count: number) => Array.from({ length: count }, (_, i) => command(`c${i}`))

test('registers first words and aliases; the description of a folder lists its visible commands', () => {
  expect(
    register(
      command('ping', { aliases: ['p'] }),
      command('role add', { aliases: ['plus'] }),
      command('role remove'),
      command('role wipe', { hidden: true }),
      command('secret', { hidden: true }),
    ),
  ).toEqual([
    { name: 'p', description: 'Same as /ping: Does ping' },
    { name: 'ping', description: 'Does ping' },
    { name: 'role', description: 'role: add, remove' },
    { name: 'secret', description: 'Does secret' },
  ])
})

test('registers /help', () => {
  const names = registeredCommands([command('ping')], { help: true }).map(({ name }) => name)
  expect(names).toEqual(['help', 'ping'])
})

test.each([
  [
    [command('ping', { aliases: ['poll'] }), command('poll')],
    'commands/ping.ts and commands/poll.ts both define /poll; remove the alias "poll" from commands/ping.ts',
  ],
  [
    [command('ping', { aliases: ['p'] }), command('poll', { aliases: ['p'] })],
    'commands/poll.ts and commands/ping.ts both define /p; remove the alias "p" from commands/poll.ts',
  ],
  [
    [command('ping', { aliases: ['role'] }), command('role add')],
    'commands/ping.ts and commands/role/add.ts both define /role; remove the alias "role" from commands/ping.ts',
  ],
  [
    [command('role add', { aliases: ['remove'] }), command('role remove')],
    'commands/role/add.ts and commands/role/remove.ts both define /role remove; remove the alias "remove" from commands/role/add.ts',
  ],
])('an alias that is taken names both files', (definitions, message) => {
  expect(() => register(...definitions)).toThrow(expect.objectContaining({ code: 'ERR_CONFLICT', message }))
})

test('the same word in two folders is not a conflict', () => {
  expect(register(command('role add', { aliases: ['a'] }), command('team add', { aliases: ['a'] }))).toHaveLength(2)
})

test('warns above 50 commands and fails above 100, counting aliases; leaves out /help at the limit', () => {
  expect(commandCountWarning(register(...many(50)))).toBeUndefined()
  expect(commandCountWarning(register(...many(51)))).toMatch(
    /^51 commands: the interface documents both 50 and 100 as the limit/,
  )
  expect(commandsWarning(many(49))).toBeUndefined()
  expect(commandsWarning(many(50))).toMatch(/^51 commands: .*group some in folders of subcommands$/)
  expect(registeredCommands(many(99), { help: true })).toHaveLength(100)
  expect(registeredCommands(many(100), { help: true }).map(({ name }) => name)).not.toContain('help')
  expect(() => register(...many(100), command('x', { aliases: ['y'] }))).toThrow(
    expect.objectContaining({
      code: 'ERR_DEFINITION',
      message:
        'commands/: 102 commands, 1 of them aliases, but a bot can register at most 100 (interface §8); group related commands in a folder of subcommands, which counts as one',
    }),
  )
})
