import fc from 'fast-check'
import { characters } from '@botwright/protocol/facts'
import { expect, test } from 'vitest'
import type { Definition } from '../../author/files/entries.ts'
import { createTexts } from '../../bot/bot-texts.ts'
import { services } from '../../bot/services.ts'
import { helpText, runHelp } from './help-text.ts'
import { commandsWithRules } from '../../bot/context/message-context.ts'

const command = (name: string, more: Partial<Definition> = {}): Definition => ({
  kind: 'command',
  name,
  file: `commands/${name.replaceAll(' ', '/')}.ts`,
  description: `Does ${name}`,
  ...more,
})

const poll = command('poll', {
  description: 'Starts a poll',
  aliases: ['p'],
  help: {
    usage: '<question> [minutes=10] [--secret]',
    args: [
      { takes: 'word', name: 'question', expects: 'a text', about: 'What is asked' },
      { takes: 'word', name: 'minutes', expects: 'a whole number from 1 to 60', default: '10', optional: true },
      { takes: 'flag', name: '--secret', expects: 'a switch', optional: true },
    ],
    examples: ['"Tea?" 5'],
    rules: ['only in servers'],
  },
})
const bot = [
  poll,
  command('role', { aliases: ['r'] }),
  command('role add', { aliases: ['plus'] }),
  command('role wipe', { hidden: true }),
  command('team add'),
  command('ban', { file: 'commands/(moderation)/ban.ts' }),
  command('secret', { hidden: true }),
]

test('lists all commands but hidden ones, by group', () => {
  expect(helpText(bot)).toBe(
    [
      '`/poll` Starts a poll',
      '`/role` Does role · add',
      '`/team` add',
      '**Moderation**',
      '`/ban` Does ban',
      '`/help NAME` shows more about one command.',
    ].join('\n'),
  )
})

test('sorts the groups by their translated names, and joins those of one name', async () => {
  const german: Readonly<Record<string, string>> = {
    'code.zoo': 'tiere',
    'code.admin': 'verwaltung',
    'code.all': 'übersicht',
  }
  const texts = createTexts()
  texts.use({ languageOf: () => 'de', find: (_, key) => german[key] ?? (key === 'help.more' ? '…' : undefined) })
  const commands = ['(admin)/ban', '(zoo)/cat', '(all)/list', '(tiere)/dog', 'poll'].map((path) =>
    command(path.split('/').at(-1)!, { file: `commands/${path}.ts`, description: 'x' }),
  )
  const ctx = { [services]: { texts }, commands, prefix: '/', typed: '' }
  expect(await runHelp(ctx as never)).toBe(
    [
      '`/poll` x',
      '**Tiere**',
      '`/cat` x',
      '`/dog` x',
      '**Übersicht**',
      '`/list` x',
      '**Verwaltung**',
      '`/ban` x',
      '…',
    ].join('\n'),
  )
})

test('describes one command in full', () => {
  const text = [
    '`!poll <question> [minutes=10] [--secret]`',
    'Starts a poll',
    'Only in servers.',
    '`question` What is asked: a text',
    '`minutes` a whole number from 1 to 60 (default: 10)',
    '`--secret` a switch',
    'Example: `!poll "Tea?" 5`',
    'Also: `!p`',
  ].join('\n')
  for (const topic of ['poll', 'p', '/poll', '!POLL ']) expect(helpText(bot, { prefix: '!', topic })).toBe(text)
})

test('shows in German what is optional, and its default', async () => {
  const args = [
    { takes: 'word', name: 'minuten', expects: 'eine Zahl', default: '10', optional: true },
    { takes: 'word', name: 'wer', expects: 'ein Text', optional: true },
  ] as const
  const tee = command('tee', { help: { usage: '[minuten=10] [wer]', args: [...args], examples: [], rules: [] } })
  const ctx = { [services]: { texts: createTexts('de') }, commands: [tee], prefix: '/', typed: 'tee' }
  const shown = String(await runHelp(ctx as never))
  expect(shown).toContain('`minuten` eine Zahl (Standard: 10)')
  expect(shown).toContain('`wer` ein Text (optional)')
})

test("describes the guards of a folder with each of its commands, in one sentence with the command's own", () => {
  const middleware: Definition[] = [
    { kind: 'middleware', name: 'commands', file: 'commands/middleware.ts', guards: ['only in servers'] },
    { kind: 'middleware', name: 'commands/role', file: 'commands/role/middleware.ts', guards: ['only for the owner'] },
  ]
  const commands = commandsWithRules([...middleware, ...bot])
  expect(helpText(commands, { topic: 'role add' })).toBe(
    '`/role add`\nDoes role add\nOnly in servers, for the owner.\nAlso: `/role plus`',
  )
  expect(helpText(commands, { topic: 'ban' })).toBe('`/ban`\nDoes ban\nOnly in servers.')
})

test('describes the guards of a plugin with its own commands only', () => {
  const of = (plugin: string, kind: 'command' | 'middleware', name: string, file: string) => ({
    ...{ plugin, kind, name, file: `@acme/${plugin}/${file}` },
    ...(kind === 'middleware'
      ? { guards: [`only for ${plugin}`] }
      : { description: 'Does', help: { usage: '', args: [], examples: [], rules: [] } }),
  })
  const commands = commandsWithRules([
    { kind: 'middleware', name: '', file: 'middleware.ts', guards: ['only in servers'] },
    of('shop', 'middleware', '', 'middleware.ts'),
    of('shop', 'command', 'buy', 'commands/buy.ts'),
    of('games', 'middleware', 'commands', 'commands/middleware.ts'),
    of('games', 'command', 'play', 'commands/play.ts'),
  ])
  expect(commands.map(({ help }) => help?.rules)).toEqual([
    ['only in servers', 'only for shop'],
    ['only in servers', 'only for games'],
  ])
})

test('describes subcommands by their words and with their parent', () => {
  expect(helpText(bot, { topic: 'role' })).toBe('`/role`\nDoes role\nAlso: `/r`\n`/role add` Does role add')
  expect(helpText(bot, { topic: 'r plus' })).toBe('`/role add`\nDoes role add\nAlso: `/role plus`')
  expect(helpText(bot, { topic: 'team' })).toBe('`/team`\n`/team add` Does team add')
})

test.each([
  ['pol', 'There is no such command; did you mean `/help poll`?\n`/help` lists all commands.'],
  ['role ad', 'There is no such command; did you mean `/help role add`?\n`/help` lists all commands.'],
  ['<@everyone>', 'There is no such command.\n`/help` lists all commands.'],
  ['secret', 'There is no such command.\n`/help` lists all commands.'],
  ['role wipe', 'There is no such command.\n`/help` lists all commands.'],
])('suggests a visible command or lists none for the unknown topic %s', (topic, text) => {
  expect(helpText(bot, { topic })).toBe(text)
})

test('splits many commands into pages that fit one message', () => {
  const many = Array.from({ length: 100 }, (_, i) => command(`c${i}`, { description: `x`.repeat(60) }))
  const first = helpText(many)
  expect(first).toMatch(/\nPage 1 of 4: `\/help 2` shows the next$/)
  expect(helpText(many, { topic: '4' })).toMatch(/shows more about one command\.\nPage 4 of 4$/)
  expect(helpText(many, { topic: '99' })).toBe(helpText(many, { topic: '4' }))
  const all = ['1', '2', '3', '4'].map((topic) => helpText(many, { topic })).join('\n')
  for (const { name } of many) expect(all).toContain(`\`/${name}\``)
})

test('a page never exceeds one message, whatever the declarations', () => {
  const word = fc.stringMatching(/^[a-z0-9_-]{1,32}$/)
  const definition = fc.record({ name: word, description: fc.string({ unit: 'grapheme', maxLength: 3000 }) })
  fc.assert(
    fc.property(fc.array(definition, { maxLength: 100 }), fc.nat(9), (commands, page) => {
      const text = helpText(
        commands.map(({ name, description }) => command(name, { description })),
        { topic: String(page) },
      )
      expect(characters(text)).toBeLessThanOrEqual(2000)
      expect(text).not.toBe('')
    }),
    { numRuns: 50 },
  )
})
