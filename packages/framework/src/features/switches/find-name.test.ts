import { expect, test } from 'vitest'
import type { Known } from './change.ts'
import { findName, switchNames } from './find-name.ts'

const files: Known[] = [
  { kind: 'command', name: 'roll', file: 'commands/roll.ts', aliases: ['dice'] },
  { kind: 'command', name: 'team member add', file: 'src/commands/team/member/add.ts', aliases: ['new'] },
  { kind: 'command', name: 'count', file: '@acme/counting/commands/count.ts' },
  { kind: 'button', name: 'poll/vote', file: 'src/buttons/poll/vote.ts' },
  { kind: 'button', name: 'counting/undo', file: '@acme/counting/buttons/undo.ts' },
  { kind: 'event', name: 'message', file: 'src/events/message/links.ts' },
  { kind: 'event', name: 'message', file: '@acme/counting/events/message.ts' },
  { kind: 'event', name: 'member_join', file: 'src/events/member_join.ts' },
  { kind: 'event', name: 'ready', file: 'events/ready.ts' },
  { kind: 'task', name: 'digest', file: 'tasks/digest.ts' },
  { kind: 'route', name: 'POST /github', file: 'routes/github.ts' },
  { kind: 'state', name: 'score', file: 'state/score.ts' },
  { kind: 'middleware', name: '', file: 'middleware.ts' },
]

test('everything that people, events, times and requests start can be switched off', () => {
  expect(switchNames(files)).toEqual([
    '/count',
    '/roll',
    '/team',
    '/team member',
    '/team member add',
    '@acme/counting/events/message',
    'POST /github',
    'buttons/counting/undo',
    'buttons/poll/vote',
    'events/member_join',
    'events/message/links',
    'tasks/digest',
  ])
})

test.each([
  // As `framework routes` prints the name.
  ['/roll', '/roll'],
  ['/team member add', '/team member add'],
  ['poll/vote', 'buttons/poll/vote'],
  ['counting/undo', 'buttons/counting/undo'],
  ['member_join', 'events/member_join'],
  ['digest', 'tasks/digest'],
  ['POST /github', 'POST /github'],
  // As it prints the file.
  ['commands/roll.ts', '/roll'],
  ['src/commands/team/member/add.ts', '/team member add'],
  ['./src/buttons/poll/vote.ts', 'buttons/poll/vote'],
  ['src/events/message/links.ts', 'events/message/links'],
  ['@acme/counting/events/message.ts', '@acme/counting/events/message'],
  ['@acme/counting/buttons/undo.ts', 'buttons/counting/undo'],
  ['routes/github.ts', 'POST /github'],
  // With less.
  ['roll', '/roll'],
  ['team  member', '/team member'],
  ['/dice', '/roll'],
  ['/team member new', '/team member add'],
  ['commands/team', '/team'],
])('finds %s', (typed, name) => expect(findName(typed, files)).toBe(name))

test.each([
  ['message', '"message" is not unique: use events/message/links or @acme/counting/events/message'],
  ['/rol', 'did you mean /roll?'],
  ['buttons/poll/votes', 'did you mean buttons/poll/vote?'],
  ['score', 'framework routes lists all names'],
  ['ready', 'framework routes lists all names'],
  ['', 'framework routes lists all names'],
])('refuses %s', (typed, why) => expect(() => findName(typed, files)).toThrow(why))

test('a name of code that is gone', () => {
  expect(findName('/gone', files, ['/gone'])).toBe('/gone')
  expect(findName('gone', files, ['/gone'])).toBe('/gone')
})
