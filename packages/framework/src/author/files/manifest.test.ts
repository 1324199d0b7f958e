import { expect, test } from 'vitest'
import { discover } from './manifest.ts'

const found = (...files: string[]) => discover(files).entries.map(({ kind, name }) => `${kind} ${name}`)

test('the folder decides the kind of a file, also under src/; groups do not change it', () => {
  expect(
    found(
      'commands/ping.ts',
      'commands/role/add.mjs',
      'src/commands/(fun)/dice.js',
      'buttons/poll/vote.mts',
      'events/ready.ts',
    ),
  ).toEqual(['button poll/vote', 'command ping', 'command role add', 'event ready', 'command dice'])
})

test('the files below events/message/ and events/message.ts handle one event, in the order of their names', () => {
  const files = ['message/a-b', 'message/a', 'message', 'message/(mod)/links', 'message/a/b', 'member_join']
  const { entries } = discover(files.map((file) => `events/${file}.ts`))
  expect(entries.map(({ name, file }) => [name, file])).toEqual([
    ['member_join', 'events/member_join.ts'],
    ['message', 'events/message.ts'],
    ['message', 'events/message/(mod)/links.ts'],
    ['message', 'events/message/a.ts'],
    ['message', 'events/message/a-b.ts'],
    ['message', 'events/message/a/b.ts'],
  ])
})

test('middleware is named after its folder', () => {
  expect(found('src/middleware.ts', 'commands/(admin)/middleware.ts')).toEqual([
    'middleware commands/(admin)',
    'middleware ',
  ])
})

test('does not recommend to overwrite a file', () => {
  expect(() => discover(['commands/tea.ts', 'commands/tea/index.ts', 'commands/tea/black.ts'])).toThrow(
    'commands/tea/index.ts: a command has the name of its file; rename it, but not to commands/tea.ts, which exists',
  )
})

test('ignores files that are not handlers', () => {
  expect(
    found(
      'commands/_x.ts',
      'commands/_lib/y.ts',
      'commands/a.test.ts',
      'commands/b.d.ts',
      'lib/c.ts',
      'bot.config.ts',
      'commands/d.json',
    ),
  ).toEqual([])
})

test('does not depend on the order of the files', () => {
  const files = ['commands/b.ts', 'buttons/z.ts', 'commands/a.ts']
  expect(discover(files)).toEqual(discover([...files].reverse()))
})

test.each([
  [
    'commands/Ping.ts',
    "commands/Ping.ts: a command's name is 1 to 32 lowercase letters, digits, - or _; rename it to ping.ts",
  ],
  [
    'commands/roleAdd.ts',
    "commands/roleAdd.ts: a command's name is 1 to 32 lowercase letters, digits, - or _; rename it to role-add.ts",
  ],
  [
    'commands/My Role/add.ts',
    "commands/My Role/add.ts: a command's name is 1 to 32 lowercase letters, digits, - or _; rename it to my-role/",
  ],
  ['commands/role/index.ts', 'commands/role/index.ts: a command has the name of its file; move it to commands/role.ts'],
  [
    'events/member_joined.ts',
    'events/member_joined.ts: there is no event "member_joined"; rename it to member_join.ts',
  ],
  ['events/mod/message.ts', 'events/mod/message.ts: there is no event "mod"; move it to events/message.ts'],
  [
    'events/(mod)/all/message/links.ts',
    'events/(mod)/all/message/links.ts: there is no event "all"; move it to events/message/links.ts',
  ],
  ['events/messages/links.ts', 'events/messages/links.ts: there is no event "messages"; rename it to message/'],
  [
    'events/mesage/Bad Words.ts',
    'events/mesage/Bad Words.ts: there is no event "mesage"; move it to events/message/bad-words.ts',
  ],
  [
    'events/message/badWords.ts',
    'events/message/badWords.ts: the name of such a file is 1 to 32 lowercase letters, digits, - or _; rename it to bad-words.ts',
  ],
  [
    'events/message/index.ts',
    'events/message/index.ts: an event has the name of its file; move it to events/message.ts',
  ],
  ['src/events/mod/mesage.ts', 'src/events/mod/mesage.ts: there is no event "mod"; move it to src/events/message.ts'],
  [
    'commands/(fun)/index.ts',
    'commands/(fun)/index.ts: a command has the name of its file; rename it to the name of the command',
  ],
  ['state/index.ts', 'state/index.ts: a state has the name of its file; rename it to the name of the state'],
  ['commands/Role/index.ts', 'commands/Role/index.ts: a command has the name of its file; move it to commands/role.ts'],
  ['Commands/ping.ts', 'Commands/ping.ts: Commands/ is not a folder of a bot; rename it to commands/'],
  ['src/states/points.ts', 'src/states/points.ts: states/ is not a folder of a bot; rename it to state/'],
  ['middlewares.ts', 'middlewares.ts: a bot ignores this name; rename it to middleware.ts'],
  ['commands/ping.cjs', 'commands/ping.cjs: a handler is a .ts, .mts, .js or .mjs file; rename it'],
])('rejects %s with the fix', (file, message) => {
  expect(() => discover([file])).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION', message }))
})

test.each([
  [
    ['commands/ping.ts', 'commands/(admin)/ping.ts'],
    'commands/(admin)/ping.ts and commands/ping.ts both define /ping; rename one',
  ],
  [['commands/ping.ts', 'commands/ping.js'], 'commands/ping.js and commands/ping.ts both define /ping; remove one'],
  [
    ['src/commands/ping.ts', 'commands/ping.ts'],
    'commands/ping.ts and src/commands/ping.ts both define /ping; rename one',
  ],
  [
    ['events/message/links.ts', 'events/(log)/message/links.ts'],
    'events/(log)/message/links.ts and events/message/links.ts both define the event "message"; rename one',
  ],
  [
    ['events/message.ts', 'events/(log)/message.ts'],
    'events/(log)/message.ts and events/message.ts both define the event "message"; join them',
  ],
])('%s conflict', (files, message) => {
  expect(() => discover(files)).toThrow(expect.objectContaining({ code: 'ERR_CONFLICT', message }))
})

test.each([
  [
    ['events/mod/message.ts', 'events/message.ts'],
    'events/mod/message.ts: there is no event "mod"; join it with events/message.ts',
  ],
  [
    ['commands/roleAdd.ts', 'commands/role-add.ts'],
    "commands/roleAdd.ts: a command's name is 1 to 32 lowercase letters, digits, - or _; rename it, but not to commands/role-add.ts, which exists",
  ],
])('suggests no name that is taken: %s', (files, message) => {
  expect(() => discover(files)).toThrow(expect.objectContaining({ code: 'ERR_DEFINITION', message }))
})

test('an event in a folder without the name of an event gets no location', () => {
  expect(() => discover(['events/mod/automod.ts'])).toThrow(
    /^events\/mod\/automod\.ts: there is no event "mod"; name it after one of message,/,
  )
})

test('a command and its subcommands may share their first word', () => {
  expect(found('commands/role.ts', 'commands/role/add.ts')).toEqual(['command role', 'command role add'])
})

test('rejects more than 100 first words, counting a folder once', () => {
  const files = (folder: string) => Array.from({ length: 101 }, (_, i) => `commands/${folder}c${i}.ts`)
  expect(() => discover(files(''))).toThrow(/101 commands, but a bot can register at most 100/)
  expect(discover(files('all/')).entries).toHaveLength(101)
})
