import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import poll from '../polls/commands/poll.ts'
import reactionRoles from '../reaction-roles/commands/reaction-roles.ts'

const fileText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The German texts of the code of a plugin. */
const germanOf = (plugin: string) =>
  (JSON.parse(fileText(`../${plugin}/locales/de.json`)) as { framework: { code: Readonly<Record<string, string>> } })
    .framework.code

/** A command with the texts of its code. */
interface Described {
  description: string
  args?: Readonly<Record<string, { about?: string }>>
}

const textsOf = ({ description, args = {} }: Described): string[] => [
  description,
  ...Object.entries(args).flatMap(([name, { about }]) => (about === undefined ? [name] : [name, about])),
]

test('the guide lists the texts of all commands, each with its German text', () => {
  const german = { ...germanOf('polls'), ...germanOf('reaction-roles') }
  const rows = fileText('../../docs/ready-made.md')
    .split('\n')
    .filter((line) => / `\/[\w-]+`\s*\|$/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const commands = { poll, 'reaction-roles': reactionRoles } as unknown as Readonly<Record<string, Described>>
  const texts = Object.entries(commands).flatMap(([name, one]) => textsOf(one).map((text) => [name, text] as const))
  expect(rows.map((cells) => cells.slice(1, 4))).toEqual(
    texts.map(([name, text]) => [`\`${text}\``, german[text] ?? text, `\`/${name}\``]),
  )
  const known = new Set(texts.map(([, text]) => text))
  expect(Object.keys(german).filter((key) => !known.has(key))).toEqual([])
})
